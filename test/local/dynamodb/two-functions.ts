import { createTemplate, lambda } from '../small-template.ts';

/** A function that may do anything with tables but write items, and one without permissions. */
export const template = createTemplate({
  ...lambda('Read', { FunctionName: 'read', Role: { 'Fn::GetAtt': ['Role', 'Arn'] } }),
  ...lambda('Nothing', { FunctionName: 'nothing' }),
  Role: {
    Type: 'AWS::IAM::Role',
    Properties: {
      RoleName: 'reader',
      AssumeRolePolicyDocument: {
        Statement: { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      },
      Policies: [
        {
          PolicyDocument: {
            Statement: [
              { Effect: 'Allow', Action: ['dynamodb:*'], Resource: ['*'] },
              { Effect: 'Deny', Action: ['dynamodb:Put*'], Resource: ['*'] },
            ],
          },
        },
      ],
    },
  },
});
