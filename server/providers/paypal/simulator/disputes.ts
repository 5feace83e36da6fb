/** Disputes and inquiries of the simulated PayPal. The order's fault decides which one it is, and who wins. */
import { minorOf, moneyOf } from '../money.ts'
import { plan, type SimAccount, type SimOrder, type World } from './books.ts'
import { tell } from './events.ts'
import { presentDisputeDetails } from './present.ts'

/** When a dispute is opened, and how long it lasts. */
const OPENS_MS = 20_000
const LASTS_MS = 24 * 3_600_000
const FAULTS: readonly unknown[] = ['disputed', 'dispute_lost', 'dispute_part_lost', 'inquiry']

/** The buyer of an order with such a fault opens a dispute later. */
export function planDispute(world: World, account: SimAccount, order: SimOrder): void {
  if (FAULTS.includes(order.fault)) plan(world, OPENS_MS, () => openDispute(world, account, order))
}

export function openDispute(world: World, account: SimAccount, order: SimOrder): void {
  const [capture] = order.captures
  if (!capture) return
  const { amount, id: captureId } = capture
  const isPart = order.fault === 'dispute_part_lost'
  const isInquiry = order.fault === 'inquiry'
  const dispute: SimAccount['disputes'][number] = {
    id: `PP-D-${account.disputes.length + 1}`,
    captureId,
    status: 'WAITING_FOR_SELLER_RESPONSE',
    stage: isInquiry ? 'INQUIRY' : 'CHARGEBACK',
    outcome: null,
    amount: isPart ? moneyOf(Math.ceil(minorOf(amount) / 2), amount.currency_code) : amount,
    customId: order.unit.custom_id,
    createdAt: world.now(),
    updatedAt: world.now(),
  }
  account.disputes.push(dispute)
  const announce = (name: string) =>
    tell(world, account, { name, kind: 'dispute', resource: presentDisputeDetails(world, dispute), order })
  announce('CUSTOMER.DISPUTE.CREATED')
  if (order.fault !== 'dispute_lost' && !isPart && !isInquiry) return
  plan(world, LASTS_MS, () => {
    dispute.status = 'RESOLVED'
    dispute.outcome = isInquiry ? 'RESOLVED_SELLER_FAVOUR' : 'RESOLVED_BUYER_FAVOUR'
    dispute.updatedAt = world.now()
    announce('CUSTOMER.DISPUTE.RESOLVED')
  })
}
