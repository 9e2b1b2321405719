;;; assay-dap.el --- OpenCL kernels under assay's debugger, for dap-mode  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1") (dap-mode "0.7"))

;;; Commentary:

;; (load "/path/to/assay-dap.el"), open a kernel, set breakpoints with `dap-breakpoint-toggle' and
;; start with `dap-debug'.  A configuration is a property list; its properties are the launch
;; attributes that assay's docs/debugger.md names:
;;
;;   (dap-register-debug-template "saxpy"
;;     (list :type "assay" :request "launch" :name "saxpy" :module "saxpy.cl" :cwd "/kernels"
;;           :global 1024 :local 64 :args ["float=2.5" "float[1024]=range(0,1)" "float[1024]=1"]))
;;
;; dap-mode 0.7 has no commands that go back: `assay-dap-step-back' and
;; `assay-dap-reverse-continue' are here.

;;; Code:

(require 'dap-mode)

(defgroup assay-dap nil
  "OpenCL kernels under assay's debugger."
  :group 'dap-mode)

(defcustom assay-dap-program "assay"
  "The program assay: a path, or a name in `exec-path'."
  :type 'string
  :group 'assay-dap)

;; dap-mode reads it wherever an adapter has exception filters; only dap-ui, which needs windows,
;; defines it.
(defvar dap-exception-breakpoints nil)

(defun assay-dap--populate (configuration)
  "CONFIGURATION with what dap-mode has to know to start the adapter."
  (let ((program (executable-find assay-dap-program)))
    (unless program
      (user-error "No program %s: set assay-dap-program to where assay is" assay-dap-program))
    (setq configuration (dap--put-if-absent configuration :dap-server-path (list program "dap")))
    (setq configuration (dap--put-if-absent configuration :name "assay"))
    (dap--put-if-absent configuration :cwd default-directory)))

(dap-register-debug-provider "assay" #'assay-dap--populate)

(defun assay-dap-step-back (session)
  "Step back over a line in SESSION."
  (interactive (list (dap--cur-session-or-die)))
  (dap--step "stepBack" session))

(defun assay-dap-reverse-continue (session)
  "Run back to what stops SESSION, at the latest to the beginning."
  (interactive (list (dap--cur-session-or-die)))
  (dap--step "reverseContinue" session))

(provide 'assay-dap)

;;; assay-dap.el ends here
