/** How the simulated gateway shows an order, by the version that the shop has, and with as few fields as the manual allows. */
import type { Bank, SimOrder } from './bank.ts'
import { maskedPan } from './cards.ts'
import { hooksOf } from './faults.ts'

export function presentOrder({ shop }: Bank, order: SimOrder): object {
  const { statedAmount = (minor: number) => minor, statedCurrency = order.currency } = hooksOf(order.fault)
  const { isPoor, version } = shop
  return {
    orderNumber: order.number,
    orderStatus: order.status,
    actionCode: order.actionCode,
    actionCodeDescription: '',
    amount: statedAmount(order.amount),
    currency: statedCurrency,
    date: order.registeredAt.getTime(),
    ip: '203.0.113.9',
    attributes: isPoor ? [] : [{ name: 'mdOrder', value: order.id }],
    ...(!isPoor && presentCard(order)),
    ...(!isPoor && order.clientId !== null && { bindingInfo: { clientId: order.clientId } }),
    ...(version >= '02' &&
      !isPoor &&
      order.paidAt && {
        authDateTime: order.paidAt.getTime(),
        authRefNum: '001017626432',
        terminalId: '99000001',
      }),
    ...(version >= '03' && { paymentAmountInfo: presentAmounts(shop, order) }),
    ...(!isPoor && shop.kind === 'other' && { chargeback: order.isDisputed }),
  }
}

const STATES = ['CREATED', 'APPROVED', 'DEPOSITED', 'REVERSED', 'REFUNDED', 'CREATED', 'DECLINED']

function presentAmounts({ isPoor, deposited }: Bank['shop'], order: SimOrder): object {
  const left = deposited === 'falls' ? order.deposited - order.refunded : order.deposited
  const all = {
    paymentState: STATES[order.status],
    // The manual says that this is used only with two steps.
    ...((order.steps === 'two' || !isPoor) && { approvedAmount: order.approved }),
    depositedAmount: left,
    refundedAmount: order.refunded,
  }
  return isPoor ? Object.fromEntries(Object.entries(all).filter(([, value]) => value !== 0)) : all
}

function presentCard({ card, paidAt }: SimOrder): object {
  if (card === null || paidAt === null) return {}
  return {
    cardAuthInfo: {
      pan: maskedPan(card),
      expiration: '203512',
      cardholderName: 'PLANTED HOLDER',
      approvalCode: '123456',
    },
  }
}
