/** An answer about money of the other mode: test money at a live account, or real money in the sandbox. A person learns of it. */

import type { Context } from '../context.ts'
import type { Account } from '../providers/registry.ts'
import { insertWarningAbout } from '../storage/payments/payment-warnings.ts'
import { idOf } from './refusal.ts'

/** Whether the provider spoke of money of the other mode. */
export function isWrongMode(error: unknown): error is Error {
  return error instanceof Error && error.name === 'WrongModeError'
}

export async function warnOfMode(
  ctx: Context,
  { id }: Account,
  about: string | null,
  detail: string,
): Promise<void> {
  ctx.metrics.wrongMode()
  ctx.log.warn({ accountId: id, ...idOf(about) }, detail)
  if (about !== null) await insertWarningAbout(ctx.db, about, { detail, createdAt: ctx.clock.now() })
}
