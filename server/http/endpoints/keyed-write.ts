/** The common part of endpoints that write for a merchant once for each idempotency key. */
import { NoBody } from '../../contract/operation.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import type { Scope } from '../../merchants/api-key.ts'
import type { Reply } from '../endpoint.ts'

export const keyedWrite = (scope: Scope) =>
  ({
    auth: { kind: 'bearer', scope },
    limited: 'write',
    stranger: WITHOUT_TOKEN,
    idempotencyKey: 'required',
    creates: true,
  }) as const

/** The request is complete without a body. */
export const WITHOUT_BODY = { body: NoBody, bodyOptional: true } as const

/** The response is the same when the key is used again. Only its status says whether something was created. */
export const replyOf = (answer: { created: boolean }): Reply => ({
  created: answer.created,
  body: answer,
})
