/** The payment status of every combination of what a provider can say. */
import { describe, expect, test } from 'vitest'
import { PAYMENT_STATUSES, type PaymentStatus } from '../contract/payment.ts'
import type { Snapshot, Standing } from '../providers/driver.ts'
import { isPayable, isUnderWay, statusOf } from './derived-status.ts'

type Sums = Pick<Snapshot, 'authorizedMinor' | 'capturedMinor' | 'refundedMinor' | 'disputeLostMinor'>
const sums = (authorizedMinor: number, capturedMinor: number, refundedMinor = 0, disputeLostMinor = 0) => ({
  authorizedMinor,
  capturedMinor,
  refundedMinor,
  disputeLostMinor,
})

/** Money that was taken: the sums, and the status by them. */
const TAKEN: [Sums, PaymentStatus][] = [
  [sums(100, 100), 'paid'],
  [sums(0, 100), 'paid'],
  [sums(100, 40), 'paid'],
  [sums(100, 100, 30), 'partially_refunded'],
  [sums(100, 100, 0, 30), 'partially_refunded'],
  [sums(100, 100, 30, 30), 'partially_refunded'],
  [sums(100, 100, 100), 'refunded'],
  [sums(100, 100, 60, 40), 'refunded'],
  [sums(100, 100, 60, 60), 'refunded'],
  [sums(100, 40, 40), 'refunded'],
  [sums(100, 100, 0, 100), 'reversed'],
  [sums(100, 100, 50, 100), 'reversed'],
]

/** The status of an order without money, of one that holds money, and of one that took money. */
const EXPECTED: Record<Standing, [PaymentStatus, PaymentStatus, PaymentStatus | 'by its sums']> = {
  waiting: ['pending_redirect', 'authorized', 'by its sums'],
  reached: ['pending_payment', 'authorized', 'by its sums'],
  approved: ['pending_payment', 'authorized', 'by its sums'],
  completed: ['status_unknown', 'authorized', 'by its sums'],
  voided: ['reversed', 'reversed', 'reversed'],
  declined: ['failed', 'failed', 'by its sums'],
  cancelled: ['cancelled', 'cancelled', 'by its sums'],
  expired: ['expired', 'expired', 'by its sums'],
  unclear: ['status_unknown', 'status_unknown', 'status_unknown'],
}
const STANDINGS = Object.keys(EXPECTED) as Standing[]

const says = (order: Standing, money: Sums, rest: Partial<Snapshot> = {}): Snapshot => ({
  order,
  reference: 'r',
  amountMinor: 100,
  currency: 'USD',
  ...money,
  ...rest,
})
const withMoney = (order: Standing): [Sums, PaymentStatus][] => {
  const [nothing, held, taken] = EXPECTED[order]
  return [
    [sums(0, 0), nothing],
    [sums(100, 0), held],
    ...TAKEN.map(([money, status]): [Sums, PaymentStatus] => [
      money,
      taken === 'by its sums' ? status : taken,
    ]),
  ]
}

describe.each(STANDINGS)('an order that is %s', (order) => {
  test.each(withMoney(order))('with the sums %o is %s', (money, status) => {
    expect(statusOf(says(order, money))).toBe(status)
    expect(statusOf(says(order, money, { isUnderWay: true }))).toBe(status)
    for (const disputesUnknown of ['away', 'denied'] as const)
      expect(statusOf(says(order, money, { disputesUnknown }))).toBe(status)
    expect(statusOf(says(order, money, { inquiry: { amountMinor: 100 } }))).toBe(status)
  })

  test('is disputed while there is a dispute, whatever its money', () => {
    for (const [money] of withMoney(order))
      expect(statusOf(says(order, money, { dispute: { amountMinor: 1 } }))).toBe('disputed')
  })

  test('is under way only as a pending payment of which the provider says so', () => {
    for (const [money, status] of withMoney(order)) {
      expect(isUnderWay(says(order, money))).toBe(false)
      expect(isUnderWay(says(order, money, { isUnderWay: true }))).toBe(status === 'pending_payment')
    }
  })

  test('can be paid only as long as it has no money and has not ended', () => {
    for (const [money, status] of withMoney(order))
      expect(isPayable(says(order, money))).toBe(['pending_redirect', 'pending_payment'].includes(status))
  })
})

test('every payment status can be derived but the one of a payment that no provider knows', () => {
  const derived = STANDINGS.flatMap((order) => withMoney(order).map(([, status]) => status))
  const never = PAYMENT_STATUSES.filter((status) => ![...derived, 'disputed'].includes(status))
  expect(never).toEqual(['created'])
})
