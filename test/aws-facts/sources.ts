import type { RecordedTest } from './fact.ts';

const localstackTests = 'tests/aws/services/apigateway/';
const dotnetTests = 'Tools/LambdaTestTool-v2/tests/Amazon.Lambda.TestTool.IntegrationTests/';

/**
 * A test of LocalStack that was validated on AWS.
 *
 * @param file without its folder and extension
 */
export function localstack(file: string, test: string): RecordedTest {
  return {
    repository: 'localstack/localstack',
    commit: '8b9a79f05846835cf4dff63ab7eefdde9df83783',
    file: `${localstackTests}${file}.py`,
    test,
  };
}

/**
 * A snapshot of AWS's Lambda test tool for .NET: an answer of AWS, or the event of a function there.
 *
 * @param test the test that took it
 */
export function dotnet(snapshot: string, test: string): RecordedTest {
  return {
    repository: 'aws/aws-lambda-dotnet',
    commit: '33db274f0fb16ee9ae50897481e87b110ecf1114',
    file: `${dotnetTests}Snapshots/${snapshot}.json`,
    test,
  };
}

/**
 * An integration test of the AWS Serverless Application Model, which deploys to AWS.
 *
 * @param file without its folder and extension
 */
export function sam(file: string, test: string): RecordedTest {
  return {
    repository: 'aws/serverless-application-model',
    commit: '7000d0a3b0e5e0d9fca014ce135850718aad1290',
    file: `integration/combination/${file}.py`,
    test,
  };
}
