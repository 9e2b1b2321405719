// `assay dap` under DebugClient of @vscode/debugadapter-testsupport, with which VS Code's own
// adapters are tested.  Usage: node editor_client.js ASSAY FOLDER_WITH_NODE_MODULES
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');

const [program, modules] = process.argv.slice(2);
const {DebugClient} = require(require.resolve('@vscode/debugadapter-testsupport', {paths: [modules]}));

const kernel = path.join(__dirname, '..', 'debug', 'reduce.cl');
const lines = fs.readFileSync(kernel, 'utf8').split('\n');
const lineOf = (text) => lines.findIndex((line) => line.includes(text)) + 1;
const launch = {
  module: kernel,
  global: 1,
  args: ['float[1]=0', 'float[1]=3', 'local(4)', 'float=0.5'],
};

async function session(name, body) {
  const client = new DebugClient(program, 'dap', 'assay');
  client.defaultTimeout = 60000;
  await client.start();
  try {
    await body(client);
  } finally {
    await client.stop();
  }
  console.log(`ok: ${name}`);
}

async function main() {
  await session('the configuration sequence of an editor, and the end', async (client) => {
    const ended = client.waitForEvent('terminated');
    await Promise.all([client.configurationSequence(), client.launch(launch)]);
    await ended;
  });

  await session('breaks, inspects, steps and steps back', async (client) => {
    const line = lineOf('sum += term');
    await client.hitBreakpoint(launch, {path: kernel, line});
    const threads = (await client.threadsRequest()).body.threads;
    const threadId = threads[0].id;
    assert.match(threads[0].name, /^item \(0,0,0\) group \(0,0,0\)/);
    const frames = (await client.stackTraceRequest({threadId})).body.stackFrames;
    assert.strictEqual(frames[0].name, 'reduce');
    const scopes = (await client.scopesRequest({frameId: frames[0].id})).body.scopes;
    const locals = scopes.find((scope) => scope.name === 'Locals');
    const {variables} = (await client.variablesRequest(locals)).body;
    assert.match(variables.find((one) => one.name === 'term').value, /^9 /);
    await client.setVariableRequest({variablesReference: locals.variablesReference, name: 'term', value: '1'});
    await Promise.all([client.nextRequest({threadId}), client.waitForEvent('stopped')]);
    assert.match((await client.evaluateRequest({expression: 'sum'})).body.result, /^1 /);
    const back = client.waitForEvent('stopped');
    await client.stepBackRequest({threadId});
    await back;
    const again = (await client.stackTraceRequest({threadId})).body.stackFrames;
    assert.strictEqual(again[0].line, line);
  });

  await session('a launch that fails says why', async (client) => {
    await client.initializeRequest();
    await assert.rejects(client.launchRequest({module: '/nonexistent.cl', global: 1}), /nonexistent/);
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
