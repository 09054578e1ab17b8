import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { capitalized } from '../settings/names.ts';
import type { ApiFunction } from './api-function.ts';

export interface GradualDeploymentProps {
  readonly functions: Readonly<Record<string, ApiFunction>>;
  readonly alarms: Alarm[];
  /** Whether all traffic moves at once, regardless of the alarms. */
  readonly isEmergency: boolean;
}

/**
 * Moves a tenth of the traffic to new code for ten minutes, and then all traffic. If one of the alarms is raised in this
 * time, the alias returns to the previous version, and the stack's update fails. The alarms need some minutes, because
 * they wait for a second bad minute, and CloudWatch counts errors in logs that API Gateway delivers late.
 */
export class GradualDeployment extends Construct {
  constructor(scope: Construct, id: string, props: GradualDeploymentProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const role = deploymentRole(this);
    for (const [name, { alias }] of Object.entries(props.functions)) {
      if (!alias) throw new Error(`${name} has no alias to move`);
      new LambdaDeploymentGroup(this, capitalized(name), {
        application,
        alias,
        role,
        deploymentConfig: props.isEmergency
          ? LambdaDeploymentConfig.ALL_AT_ONCE
          : LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: props.alarms,
        ignoreAlarmConfiguration: props.isEmergency,
        autoRollback: {
          failedDeployment: true,
          stoppedDeployment: true,
          deploymentInAlarm: !props.isEmergency,
        },
      });
    }
  }
}

function deploymentRole(scope: Construct): Role {
  const policy = 'service-role/AWSCodeDeployRoleForLambdaLimited';
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
  });
}
