import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RegoEngine, TemplateFile } from '@aws/cloudformation-validate';
import { afterAll, describe, expect, it } from '@jest/globals';
import { AwsSolutionsChecks } from 'cdk-nag';
import {
  assemblyDirectory,
  stageNames,
  type Template,
  templateFile,
} from '../helpers/synthesized.ts';
import { createStack, synthesize } from './stack-factory.ts';

/** Everything optional is on, so that nothing escapes the checks. */
const everything = {
  region: 'eu-central-1',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/example',
  alarmEmail: 'alarms@example.com',
  firewall: { requestsPerIpPer5Minutes: 400_000 },
};

describe.each(stageNames)('cdk-nag, AwsSolutions, %s', (stage) => {
  it.each([
    ['as configured', {}],
    ['with everything optional', everything],
  ])('leaves no finding without a written reason: %s', (_, overrides) => {
    const stack = createStack(stage, overrides);

    const { violations } = new AwsSolutionsChecks(stack).validateScope(stack);

    expect(violations).toEqual([]);
  });
});

/** The certificate is named by its ARN, account included: it is nothing that this template makes. */
const configured = {
  resourceTypes: ['W9002', 'W9013'].map((ruleId) => ({
    ruleId,
    resourceType: 'AWS::ApiGateway::DomainName',
  })),
};

describe.each(stageNames)('CloudFormation Validate, %s', (stage) => {
  const engine = new RegoEngine();
  afterAll(() => engine.free());
  // Below a warning it notes what every template has: joins, untagged resources.
  const findings = (file: string) =>
    engine.validateStandard(new TemplateFile(file), { severityLevel: 'WARN', exclude: configured })
      .diagnostics;

  it('finds nothing in the template', () => {
    const diagnostics = findings(templateFile(stage));

    expect(diagnostics).toEqual([]);
  });

  it('finds nothing with everything optional', () => {
    const file = writeTemplate(`everything-${stage}`, synthesize(stage, everything));

    const diagnostics = findings(file);

    expect(diagnostics).toEqual([]);
  });

  it('finds a property that CloudFormation would refuse', () => {
    const template: Template = JSON.parse(readFileSync(templateFile(stage), 'utf8'));
    for (const { Type, Properties } of Object.values(template.Resources)) {
      if (Type === 'AWS::Lambda::Function') Properties.MemorySize = 1;
    }

    const diagnostics = findings(writeTemplate(`broken-${stage}`, template));

    expect(diagnostics.length).toBeGreaterThan(0);
  });
});

function writeTemplate(name: string, template: Template): string {
  const file = join(assemblyDirectory(), `${name}.template.json`);
  writeFileSync(file, JSON.stringify(template));
  return file;
}
