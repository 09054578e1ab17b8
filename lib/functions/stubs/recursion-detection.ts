/**
 * Replaces the part of the SDK that passes on the trace of an invocation, by which AWS detects that
 * functions invoke each other through a queue, a topic or a bucket. DynamoDB is not among these
 * services, and the functions are not traced.
 */
export const getRecursionDetectionPlugin = () => ({ applyToStack: () => {} });
