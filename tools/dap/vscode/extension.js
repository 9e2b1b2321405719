// Tells VS Code where the debug adapter is: the program of the setting assay.path.
const vscode = require('vscode');

function activate(context) {
  const factory = {
    createDebugAdapterDescriptor() {
      const program = vscode.workspace.getConfiguration('assay').get('path', 'assay');
      return new vscode.DebugAdapterExecutable(program, ['dap']);
    },
  };
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('assay', factory));
}

module.exports = {activate};
