/** Disputes and inquiries of the simulated PayPal. The order's fault decides which one it is, and who wins. */
import { minorOf, moneyOf } from '../../../providers/paypal/money.ts'
import { plan, type SimAccount, type SimOrder, type World } from './books.ts'
import { tell } from './events.ts'
import { hooksOf, OPEN_DISPUTE } from './faults.ts'
import { presentDisputeDetails } from './present.ts'

/** When a dispute is opened, and how long it lasts. */
const OPENS_MS = 20_000
const LASTS_MS = 24 * 3_600_000

/** The buyer of an order with such a fault opens a dispute later. */
export function planDispute(world: World, account: SimAccount, order: SimOrder): void {
  if (hooksOf(order.fault).dispute) plan(world, OPENS_MS, () => openDispute(world, account, order))
}

export function openDispute(world: World, account: SimAccount, order: SimOrder): void {
  const [capture] = order.captures
  if (!capture) return
  const { amount, id: captureId } = capture
  const { stage, share, outcome } = hooksOf(order.fault).dispute ?? OPEN_DISPUTE
  const dispute: SimAccount['disputes'][number] = {
    id: `PP-D-${account.disputes.length + 1}`,
    captureId,
    status: 'WAITING_FOR_SELLER_RESPONSE',
    stage,
    outcome: null,
    amount: moneyOf(share(minorOf(amount)), amount.currency_code),
    customId: order.unit.custom_id,
    createdAt: world.now(),
    updatedAt: world.now(),
  }
  account.disputes.push(dispute)
  const announce = (name: string) =>
    tell(world, account, { name, kind: 'dispute', resource: presentDisputeDetails(world, dispute), order })
  announce('CUSTOMER.DISPUTE.CREATED')
  if (outcome === null) return
  plan(world, LASTS_MS, () => {
    dispute.status = 'RESOLVED'
    dispute.outcome = outcome
    dispute.updatedAt = world.now()
    announce('CUSTOMER.DISPUTE.RESOLVED')
  })
}
