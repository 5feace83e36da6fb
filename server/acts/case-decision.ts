/**
 * A person's decision about a case of the desk, as the act that it is: a row of the table with its values.
 * Rule: it is about the case as the person saw it. What has changed since is refused.
 */
import { AppError } from '../errors.ts'
import { type CaseDetail, lastWarning } from '../operator/desk/case.ts'
import type { AnyRow } from './act.ts'
import { resolve, resolveMoney } from './rows/decisions.ts'
import { settle } from './rows/desk.ts'
import { resolve as resolveReceipt, retry } from './rows/receipts.ts'
import { close } from './rows/statements.ts'

/**
 * `number`: the register's number of a receipt that was issued. `accepts`: the sum in minor units that the person accepts in place of
 * the whole amount.
 */
export type Decision = {
  choice: string
  why: string
  seen: string
  number?: string | undefined
  accepts?: number | undefined
}
type DecidedAct = { row: AnyRow; given: object }

/** @throws AppError for a decision that is none of this case, or that is about the case as it was before */
export function actOfDecision(detail: CaseDetail, decision: Decision): DecidedAct {
  const { choice, seen } = decision
  const act = ACTS[detail.found.kind]
  if (!act || !detail.choices.includes(choice))
    throw new AppError('validation_failed', { message: `"${choice}" is not one of ${detail.choices}.` })
  if (seen !== detail.seen)
    throw new AppError('payment_not_eligible', {
      message: 'The case has changed since you looked at it. Look again.',
    })
  return act(detail, decision)
}

const ACTS: Partial<
  Record<CaseDetail['found']['kind'], (detail: CaseDetail, decision: Decision) => DecidedAct>
> = {
  undecided: ({ found, timeline }, { choice: as, why, accepts }) => ({
    row: resolve,
    given: { paymentId: found.subject, as, why, accepts, version: timeline?.payment.version },
  }),
  operation: ({ found, operation }, { choice: as, why }) => ({
    row: resolveMoney,
    given: { operationId: found.subject, as, why, version: operation?.paymentVersion ?? undefined },
  }),
  receipt: ({ found }, { choice: as, why, number }) =>
    as === 'retry'
      ? { row: retry, given: { paymentId: found.paymentId ?? '' } }
      : {
          row: resolveReceipt,
          given: { receiptId: found.subject, as, why, ...(as === 'issued' && { number }) },
        },
  warning: ({ found, timeline }, { why }) => ({
    row: settle,
    given: { paymentId: found.subject, why, until: lastWarning(timeline) },
  }),
  refund_limit: ({ found, refusal }, { why }) => ({
    row: settle,
    given: { tokenId: found.subject, why, calls: refusal?.calls ?? null },
  }),
  difference: ({ found }, { why }) => ({
    row: close,
    given: { accountId: found.accountId ?? '', differenceId: found.subject, why },
  }),
}
