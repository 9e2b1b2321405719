;;; in_emacs.el --- tools/dap/emacs in a real Emacs  -*- lexical-binding: t; -*-

;; emacs --batch -q -l in_emacs.el ASSAY FOLDER, with Debian's elpa-dap-mode.  Exit code 77 where dap-mode is not
;; installed.  Sessions and breakpoints of dap-mode's own go to FOLDER.

(package-initialize)
(unless (require 'dap-mode nil t)
  (message "skipped: no dap-mode; apt-get install elpa-dap-mode installs it")
  (kill-emacs 77))

(defvar here (file-name-directory load-file-name))
(defvar program (expand-file-name (pop command-line-args-left)))
(defvar folder (file-name-as-directory (expand-file-name (pop command-line-args-left))))
(defvar stops 0 "How often dap-mode said that a session stopped.")
(defvar has-ended nil)

(load (expand-file-name "../../tools/dap/emacs/assay-dap.el" here))
(make-directory folder t)
(setq assay-dap-program program
      dap-auto-configure-features nil
      dap-breakpoints-file (concat folder "breakpoints")
      lsp-session-file (concat folder "session")
      lsp--session (make-lsp-session))
(add-hook 'dap-stopped-hook (lambda (_) (setq stops (1+ stops))))
(add-hook 'dap-terminated-hook (lambda (_) (setq has-ended t)))

(defun wait-for (what condition)
  "Until CONDITION holds; WHAT says which it is."
  (let ((tries 0))
    (while (not (funcall condition))
      (when (> (setq tries (1+ tries)) 600) (error "Waited too long for %s" what))
      (accept-process-output nil 0.1))))

(defun expect (what expected seen)
  "WHAT must be EXPECTED: SEEN."
  (unless (equal expected seen) (error "%s: %S, not %S" what seen expected))
  (message "ok: %s is %S" what seen))

(defun after-stop (move session)
  "Calls MOVE with SESSION; the line where it stops."
  (let ((before stops))
    (funcall move session)
    (wait-for "a stop" (lambda () (> stops before)))
    (gethash "line" (dap--debug-session-active-frame session))))

(defun value-of (expression session)
  "What the adapter says of EXPRESSION in the frame of SESSION."
  (let (value)
    (dap--send-message
     (dap--make-request "evaluate"
                        (list :expression expression :context "watch"
                              :frameId (gethash "id" (dap--debug-session-active-frame session))))
     (lambda (answer) (setq value (gethash "result" (gethash "body" answer))))
     session)
    (wait-for "a value" (lambda () value))
    (car (split-string value))))

(let* ((source (expand-file-name "../debug/reduce.cl" here))
       (line (with-current-buffer (find-file source)
               (lsp-workspace-folders-add (file-name-directory source))
               (goto-char (point-min))
               (search-forward "sum += term")
               (dap-breakpoint-add)
               (line-number-at-pos))))
  (dap-debug (list :type "assay" :request "launch" :name "reduce" :module source :global 4 :local 2
                   :args ["float[2]=0" "float[4]=range(1,1)" "local(8)" "float=0.5"]))
  (wait-for "the breakpoint" (lambda () (= stops 1)))
  (let ((session (dap--cur-session)))
    (expect "the line" line (gethash "line" (dap--debug-session-active-frame session)))
    (expect "sum" "0" (value-of "sum" session))
    (expect "the line after a step" (1+ line) (after-stop #'dap-next session))
    (expect "sum after it" "1" (value-of "sum" session))
    (expect "the line of the breakpoint behind" line (after-stop #'assay-dap-reverse-continue session))
    (expect "sum there" "0" (value-of "sum" session))
    (expect "the line a step back" (1- line) (after-stop #'assay-dap-step-back session))
    (dap-disconnect session)
    (wait-for "the end" (lambda () has-ended))))
