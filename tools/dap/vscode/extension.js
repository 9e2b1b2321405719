// Tells VS Code where the debug adapter is: the program of the setting assay.path.
const fs = require('fs');
const path = require('path');
const vscode = require('vscode');

// Where the program is; undefined where there is none.
function find(program) {
  const folders = path.isAbsolute(program) ? [''] : (process.env.PATH || '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, program)).find((file) => fs.existsSync(file));
}

function activate(context) {
  const factory = {
    createDebugAdapterDescriptor() {
      const program = vscode.workspace.getConfiguration('assay').get('path') || 'assay';
      const found = find(program);
      if (found === undefined) {
        const where = path.isAbsolute(program) ? 'There is no' : 'PATH has no';
        throw new Error(`${where} '${program}': the setting "assay.path" names the program assay.`);
      }
      return new vscode.DebugAdapterExecutable(found, ['dap']);
    },
  };
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('assay', factory));
}

module.exports = {activate};
