import { describe, expect, it } from '@jest/globals';
import { withoutInternals } from '../../demo/synthesis.ts';

describe('what a failed synthesis says', () => {
  it('is the error and its place, without the stack of Node and packages', () => {
    const uncaught = `node:internal/modules/run_main:107
    triggerUncaughtException(
    ^

/repository/node_modules/esbuild/lib/main.js:1752
  let error = new Error(text);
              ^

file:///repository/lib/stack.ts:178
const x = ;
          ^

SyntaxError [ERR_INVALID_TYPESCRIPT_SYNTAX]: Expression expected
    at parseTypeScript (node:internal/modules/typescript:72:36)
    at build (/repository/node_modules/esbuild/lib/main.js:1752:15)
    at createStack (/repository/lib/stack.ts:12:3)
    at processTicks (node:internal/process/task_queues:104:5) {
  code: 'ERR_INVALID_TYPESCRIPT_SYNTAX'
}

Node.js v24.21.0
`;

    expect(withoutInternals(uncaught).trim()).toBe(`file:///repository/lib/stack.ts:178
const x = ;
          ^

SyntaxError [ERR_INVALID_TYPESCRIPT_SYNTAX]: Expression expected
    at createStack (/repository/lib/stack.ts:12:3)`);
  });
});
