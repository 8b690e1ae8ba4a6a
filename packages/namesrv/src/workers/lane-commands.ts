import { defineCommand, json } from '@rmqns/remoting';

/** What a worker has done since it was started. */
export interface WorkerCounters {
  /** Lookups that came. */
  readonly lookups: number;
  /** Those of them for which the owner was asked. */
  readonly misses: number;
  /** Routes of which it has a copy. */
  readonly copies: number;
}

/** The owner's word to a worker, answered when it has obeyed: which copies to forget. Its codes are spoken on the lane between the two alone. */
export const ForgetRoutes = defineCommand({
  code: 32_001,
  name: 'FORGET_ROUTES',
  request: {},
  response: {},
  requestBody: json<readonly string[] | 'all'>(),
});

export const DescribeWorker = defineCommand({
  code: 32_002,
  name: 'DESCRIBE_WORKER',
  request: {},
  response: {},
  responseBody: json<WorkerCounters>(),
});

/** The ext field of the owner's answer to a lookup that may be kept: the owner will say when it is not good any more. */
export const MAY_KEEP = 'mayKeep';
