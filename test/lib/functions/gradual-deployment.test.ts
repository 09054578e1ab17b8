import { describe, expect, it } from '@jest/globals';
import { functionNames } from '../../../lib/settings/functions.ts';
import { capitalized } from '../../../lib/settings/names.ts';
import { properties, resources } from '../readable.ts';

const names = functionNames.map(capitalized);

describe('deployment of prod', () => {
  it.each(names)('moves the alias of %s from version to version', (name) => {
    expect(resources('prod', 'AWS::Lambda::Alias')[`${name}Live`]).toMatchObject({
      Properties: {
        Name: 'live',
        FunctionName: `\${${name}Function}`,
        FunctionVersion: `\${${name}FunctionCurrentVersion.Version}`,
      },
      UpdatePolicy: {
        CodeDeployLambdaAliasUpdate: {
          ApplicationName: '${DeploymentApplication}',
          DeploymentGroupName: `\${Deployment${name}}`,
        },
      },
    });
  });

  it.each(names)('keeps the versions of %s, so that there is one to go back to', (name) => {
    const version = resources('prod', 'AWS::Lambda::Version')[`${name}FunctionCurrentVersion`];

    expect(version).toMatchObject({
      Properties: { FunctionName: `\${${name}Function}` },
      // The next deployment would fail if a version whose creation was rolled back still existed.
      DeletionPolicy: 'RetainExceptOnCreate',
    });
  });

  it('gives a tenth of the traffic to the new version first, and takes it back on an alarm', () => {
    const group = {
      ApplicationName: '${DeploymentApplication}',
      ServiceRoleArn: '${DeploymentRole.Arn}',
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      DeploymentStyle: {
        DeploymentOption: 'WITH_TRAFFIC_CONTROL',
        DeploymentType: 'BLUE_GREEN',
      },
      AlarmConfiguration: {
        Enabled: true,
        Alarms: [
          { Name: '${MonitoringServerErrors}' },
          { Name: '${MonitoringAuthorizerFailures}' },
        ],
      },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    };

    expect(properties('prod', 'AWS::CodeDeploy::DeploymentGroup')).toEqual(
      Object.fromEntries(names.map((name) => [`Deployment${name}`, group])),
    );
    expect(properties('prod', 'AWS::CodeDeploy::Application')).toEqual({
      DeploymentApplication: { ComputePlatform: 'Lambda' },
    });
  });
});

describe('deployment of staging', () => {
  it('is immediate', () => {
    expect(properties('staging', 'AWS::Lambda::Alias')).toEqual({});
    expect(properties('staging', 'AWS::CodeDeploy::DeploymentGroup')).toEqual({});
  });
});
