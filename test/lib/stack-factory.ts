import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib/core';
import { addStack, createApp } from '../../lib/app.ts';
import { type FunctionName, forEachFunction } from '../../lib/settings/functions.ts';
import type { StageConfiguration } from '../../lib/settings/stage-configuration.ts';
import type { StageName } from '../../lib/settings/stages.ts';
import type { StoreOrdersStack } from '../../lib/store-orders-stack.ts';
import { configurationForTests } from '../helpers/stage-for-tests.ts';
import { assemblyDirectory, type Template } from '../helpers/synthesized.ts';

/**
 * The CDK notes for each construct and each token where it was made, and Jest looks up every frame
 * of that in source maps: without it, a stack takes a third less time.
 */
function withoutStackTraces<Result>(work: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Creates the stack of a stage with a different configuration, without synthesizing it. */
export function createStack(
  stage: StageName,
  overrides: Partial<StageConfiguration> = {},
): StoreOrdersStack {
  return withoutStackTraces(() => newStack(stage, overrides));
}

function newStack(stage: StageName, overrides: Partial<StageConfiguration>): StoreOrdersStack {
  const bundle = (name: FunctionName) => join(assemblyDirectory(), 'bundles', name);
  return addStack(
    createApp(mkdtempSync(join(assemblyDirectory(), 'variant-'))),
    { ...configurationForTests(stage), ...overrides },
    forEachFunction(bundle),
  );
}

// Templates are validated by test/bin/app.command.test.ts, and not at the synthesis of each variant here.
process.env.CDK_VALIDATION = 'false';

/** The template of a stage with a different configuration. */
export function synthesize(
  stage: StageName,
  overrides: Partial<StageConfiguration> = {},
): Template {
  return templateOf(createStack(stage, overrides));
}

/** The template of a stack, which a test may have changed. */
export function templateOf(stack: StoreOrdersStack): Template {
  const assembly = withoutStackTraces(() => (stack.node.root as App).synth({ force: true }));
  return assembly.getStackByName(stack.stackName).template;
}
