/** The parts of a stack that CloudFormation describes: its name and its outputs. */
export interface StackDescription {
  readonly stackName: string;
  readonly outputs: Readonly<Record<string, string>>;
}

interface XmlAnswer {
  readonly statusCode: number;
  readonly body: string;
}

/**
 * Answers CloudFormation's `DescribeStacks` for the one stack that is running.
 *
 * @param form the parameters of the call
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
 */
export function answerDescribeStacks(form: URLSearchParams, stack: StackDescription): XmlAnswer {
  const asked = form.get('StackName') ?? stack.stackName;
  if (asked === stack.stackName) return { statusCode: 200, body: description(stack) };
  const message = `Stack with id ${asked} does not exist`;
  return {
    statusCode: 400,
    body: `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${escaped(
      message,
    )}</Message></Error></ErrorResponse>`,
  };
}

function description({ stackName, outputs }: StackDescription): string {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${escaped(key)}</OutputKey><OutputValue>${escaped(value)}</OutputValue></member>`,
  );
  return [
    '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">',
    `<DescribeStacksResult><Stacks><member><StackName>${escaped(stackName)}</StackName>`,
    '<CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus>',
    `<Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult>`,
    '<ResponseMetadata><RequestId>local</RequestId></ResponseMetadata></DescribeStacksResponse>',
  ].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
