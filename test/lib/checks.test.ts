import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { App, CloudFormationValidatePlugin, type PolicyViolation } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';
import {
  assemblyDirectory,
  stageNames,
  type Template,
  templateFile,
} from '../helpers/synthesized.ts';
import { createStack, templateOf } from './stack-factory.ts';

/** Everything optional is on, so that nothing escapes the checks. */
const everything = {
  region: 'eu-central-1',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/example',
  alarmEmail: 'alarms@example.com',
  runbookUrl: 'https://example.com/store-orders/blob/main/docs/runbook.md',
  corsOrigins: ['https://shop.example.com'],
  firewall: { requestsPerIpPer5Minutes: 400_000 },
  lambdaConcurrency: 1_000,
};

/** Both kinds of checks look at the same stacks, because a stack takes longer than they do. */
const completeStacks = new Map(stageNames.map((stage) => [stage, createStack(stage, everything)]));

describe.each(stageNames)('cdk-nag, AwsSolutions, %s', (stage) => {
  it.each([
    ['as configured', () => createStack(stage)],
    ['with everything optional', () => completeStacks.get(stage)!],
  ])('leaves no finding without a written reason: %s', (_, stackOf) => {
    const stack = stackOf();

    const { violations } = new AwsSolutionsChecks(stack).validateScope(stack);

    expect(violations).toEqual([]);
  });
});

/** CloudFormation Validate as the CDK runs it at synthesis; one engine takes every template. */
const plugin = new CloudFormationValidatePlugin();

describe.each(stageNames)('CloudFormation Validate, %s', (stage) => {
  it('finds nothing in the template', () => {
    const violations = violationsIn(templateFile(stage));

    expect(violations).toEqual([]);
  });

  it('finds nothing with everything optional', () => {
    const template = templateOf(completeStacks.get(stage)!);
    const file = writeTemplate(`everything-${stage}`, template);

    const violations = violationsIn(file);

    expect(violations).toEqual([]);
  });
});

describe('CloudFormation Validate', () => {
  it('finds a property that CloudFormation would refuse', () => {
    const template: Template = JSON.parse(readFileSync(templateFile('staging'), 'utf8'));
    for (const { Type, Properties } of Object.values(template.Resources)) {
      if (Type === 'AWS::Lambda::Function') Properties.MemorySize = 1;
    }

    const violations = violationsIn(writeTemplate('broken', template));

    expect(violations).toEqual([
      expect.objectContaining({
        severity: 'error',
        description: expect.stringContaining('MemorySize'),
      }),
    ]);
  });
});

function violationsIn(templatePath: string): PolicyViolation[] {
  const stack = { stackConstructPath: '', templatePath, accountId: undefined, region: undefined };
  return plugin.validate({
    templatePaths: [templatePath],
    stackTemplates: [stack],
    appConstruct: new App(),
  }).violations;
}

function writeTemplate(name: string, template: Template): string {
  const file = join(assemblyDirectory(), `${name}.template.json`);
  writeFileSync(file, JSON.stringify(template));
  return file;
}
