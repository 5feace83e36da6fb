/** What a register's answer means for a receipt, and when the register is asked again. */
import type { Context } from '../../context.ts'
import type { IssuedReceipt, PrintResult, ReceiptLookUp, RouteFiscal } from '../../providers/fiscal/driver.ts'
import type { ReceiptRecord } from '../../storage/payments/receipts.ts'
import type { ReceiptChange } from '../receipt-change.ts'

/** A register that says "not printed" may still be printing. For this long after sending, that answer is not final. */
export const SETTLE_MS = 30_000
/** The waits between tries and between questions. After the last one the receipt fails or becomes unclear. */
export const RETRY_WAITS_MS = [5, 30, 120, 600, 3_600, 21_600, 86_400].map((seconds) => seconds * 1_000)
/** How often a register is asked about a receipt that it has taken: soon, then hourly. After PENDING_MAX_MS an operator decides. */
const PENDING_WAITS_MS = [5, 30, 120, 600, 3_600].map((seconds) => seconds * 1_000)
const PENDING_MAX_MS = 7 * 24 * 3_600_000

/** `unsupported`: this register's driver cannot look up receipts. */
export type Answer = ReceiptLookUp | { kind: 'unsupported' }

const issued = ({ number, url, printed, qr }: IssuedReceipt) =>
  ({
    to: 'issued',
    number,
    url: url ?? null,
    printed: printed ?? null,
    qr: qr ?? null,
    dueAt: null,
  }) as const

export function verdictOnPrint(
  ctx: Context,
  receipt: ReceiptRecord,
  result: PrintResult,
  { driver }: RouteFiscal,
): ReceiptChange | Wait {
  switch (result.kind) {
    case 'issued':
      return issued(result)
    case 'pending':
      return driver.lookUpReceipt ? whilePending(ctx, receipt, result.message) : UNSUPPORTED
    case 'refused':
      return { to: 'failed', detail: result.message, dueAt: null }
    case 'unavailable':
      return printAgain(ctx, receipt, result.message)
    case 'unknown':
      if (!driver.lookUpReceipt) return UNSUPPORTED
      return {
        to: null,
        dueAt: later(ctx, RETRY_WAITS_MS[0] ?? 0),
        why: `it may have been printed: ${result.message}`,
      }
  }
}

export function verdictOnLookUp(ctx: Context, receipt: ReceiptRecord, answer: Answer): ReceiptChange | Wait {
  switch (answer.kind) {
    case 'issued':
      return issued(answer)
    case 'pending':
      return whilePending(ctx, receipt, answer.message)
    case 'unsupported':
      return UNSUPPORTED
    case 'not_found': {
      // The register has accepted the order, so it may still print it.
      if (receipt.pendingSince) return whilePending(ctx, receipt, 'the register does not know it any more')
      const settledAt = new Date((receipt.sentAt?.getTime() ?? 0) + SETTLE_MS)
      if (ctx.clock.now() < settledAt) return { to: null, dueAt: settledAt, why: 'not printed yet' }
      return printAgain(ctx, receipt, 'the register has not printed it')
    }
    case 'unavailable': {
      if (receipt.pendingSince) return whilePending(ctx, receipt, answer.message)
      const waitMs = RETRY_WAITS_MS[receipt.attempts - 1]
      if (waitMs === undefined)
        return { to: 'unclear', detail: `it may have been printed: ${answer.message}`, dueAt: null }
      return { to: null, dueAt: later(ctx, waitMs), why: answer.message }
    }
  }
}

/** The receipt's status stays, and the register is asked again at `dueAt`. `pendingSince`: the register has taken it. */
export type Wait = { to: null; dueAt: Date; why: string; pendingSince?: Date }

/** The register works on it. It is not printed again, and never given up by the count of the questions. */
function whilePending(ctx: Context, receipt: ReceiptRecord, why: string): ReceiptChange | Wait {
  const now = ctx.clock.now()
  const pendingSince = receipt.pendingSince ?? now
  if (now.getTime() - pendingSince.getTime() >= PENDING_MAX_MS)
    return { to: 'unclear', detail: `the register has worked on it for 7 days: ${why}`, dueAt: null }
  const waitMs = PENDING_WAITS_MS[receipt.attempts - 1] ?? PENDING_WAITS_MS.at(-1) ?? 0
  return { to: null, dueAt: later(ctx, waitMs), why, pendingSince }
}

const UNSUPPORTED = {
  to: 'unclear',
  detail: 'it may have been printed, and this register cannot be asked',
  dueAt: null,
} as const satisfies ReceiptChange

/** Nothing was printed, so the receipt is printed again later. After the last wait it fails. */
function printAgain(ctx: Context, { attempts }: ReceiptRecord, why: string): ReceiptChange {
  const waitMs = RETRY_WAITS_MS[attempts - 1]
  if (waitMs === undefined)
    return { to: 'failed', detail: `given up after the last retry: ${why}`, dueAt: null }
  return { to: 'waiting', detail: why, dueAt: later(ctx, waitMs) }
}

function later(ctx: Context, ms: number): Date {
  return new Date(ctx.clock.now().getTime() + ms)
}
