/** The flags that choose payments, for `payment list` and `payment export`. */
import type { Context } from '../../../context.ts'
import { PROVIDER_ROUTES } from '../../../contract/fields.ts'
import { PAYMENT_STATUSES } from '../../../contract/payment.ts'
import { oldestId } from '../../../id.ts'
import type { Wanted } from '../../../operator/finding/list.ts'
import { parseAmount } from '../../../payments/money.ts'
import { type Flag, optional, optionalChoice, past, toggle } from '../../flag.ts'

const sum = (help: string): Flag<number | undefined> => ({
  ...optional('15.00', help),
  // All currencies have two decimals.
  read: ([text]) => (text === undefined ? undefined : parseAmount(text, 'USD')),
})

export const FILTER_FLAGS = {
  merchant: optional('ID', 'only payments of this merchant'),
  status: optionalChoice('STATUS', 'only payments with this status', PAYMENT_STATUSES),
  order: optional('ORDER', "only payments of this order, by the shop's reference (merchantOrderId)"),
  customer: optional(
    'TEXT',
    'only payments of this customer: an e-mail address, a name or a telephone number',
  ),
  since: past('TIME', 'only payments that were created since then'),
  until: past('TIME', 'only payments that were created before then'),
  route: optionalChoice('ROUTE', 'only payments on this route', PROVIDER_ROUTES),
  min: sum('only payments of at least this amount'),
  max: sum('only payments of at most this amount'),
  warned: toggle('only payments with a warning'),
}

export type Given = { [Name in keyof typeof FILTER_FLAGS]: ReturnType<(typeof FILTER_FLAGS)[Name]['read']> }

export function filterOf(ctx: Context, given: Given): Omit<Wanted, 'limit'> {
  const {
    merchant = null,
    status = null,
    order = null,
    customer = null,
    since,
    until,
    route = null,
    min,
    max,
  } = given
  const now = ctx.clock.now()
  const idAt = (at: ((now: Date) => Date) | undefined) => (at ? oldestId(ctx.world, 'pay', at(now)) : null)
  return {
    ...{ merchantId: merchant, status, merchantOrderId: order, route, isWarned: given.warned },
    ...{ fromId: idAt(since), toId: idAt(until), minMinor: min ?? null, maxMinor: max ?? null },
    customer,
  }
}
