/** The flags that choose payments, for `payment list` and `payment export`. */
import type { Context } from '../../../context.ts'
import { PROVIDER_ROUTES } from '../../../contract/fields.ts'
import { PAYMENT_STATUSES } from '../../../contract/payment.ts'
import type { PaymentListFilter } from '../../../operator/finding/list.ts'
import { cutTo, type Zones } from '../../../operator/finding/shop-days.ts'
import { parseTypedAmount } from '../../../payments/money.ts'
import type { TimeRange } from '../../../reports/money-days.ts'
import { type Flag, optional, optionalChoice, past, toggle } from '../../flag.ts'

const sum = (help: string): Flag<number | undefined> => ({
  ...optional('15.00', help),
  // All currencies have two decimals.
  read: ([text]) => (text === undefined ? undefined : parseTypedAmount(text, 'USD')),
})

export const FILTER_FLAGS = {
  merchant: optional('ID', 'only payments of this merchant'),
  status: optionalChoice('STATUS', 'only payments with this status', PAYMENT_STATUSES),
  order: optional('ORDER', "only payments of this order, by the shop's reference (merchantOrderId)"),
  customer: optional(
    'TEXT',
    'only payments of this customer: an e-mail address, a name or a telephone number',
  ),
  since: past('TIME', "only since then; a day begins at the shop's midnight"),
  until: past('TIME', 'only before then'),
  by: optionalChoice(
    'WHICH',
    'what happened in that time: the payment was created (the default of lists), or its money moved (the default of the export)',
    ['created', 'moved'] as const,
  ),
  route: optionalChoice('ROUTE', 'only payments on this route', PROVIDER_ROUTES),
  min: sum('only payments of at least this amount'),
  max: sum('only payments of at most this amount'),
  warned: toggle('only payments with a warning'),
}

export type Given = { [Name in keyof typeof FILTER_FLAGS]: ReturnType<(typeof FILTER_FLAGS)[Name]['read']> }

/** `zones`: in which days begin. */
export function filterOf(ctx: Context, given: Given, zones: Zones): Omit<PaymentListFilter, 'limit'> {
  const { merchant = null, status = null, order = null, customer = null, route = null, min, max } = given
  return {
    merchantId: merchant,
    status,
    merchantOrderId: order,
    route,
    isWarned: given.warned,
    minMinor: min ?? null,
    maxMinor: max ?? null,
    customer,
    ...cutTo(ctx, given.by ?? 'created', zones, (zone) => rangeOf(ctx, given, zone)),
  }
}

/** The time of `--since` and `--until`. An end that is not given is open. */
export function rangeOf(
  ctx: Context,
  { since, until }: Pick<Given, 'since' | 'until'>,
  zone: string,
): Partial<TimeRange> {
  const now = ctx.clock.now()
  return { ...(since && { since: since(now, zone) }), ...(until && { until: until(now, zone) }) }
}
