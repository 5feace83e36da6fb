/** The table of lists. */
import { OPERATION_STATUSES } from '../../contract/operation.ts'
import { SUBSCRIPTION_STATUSES } from '../../contract/subscription.ts'
import {
  EVENT_STATES,
  listEventPage,
  presentEventSummary,
  sendingTime,
} from '../../operator/event-history.ts'
import { listOperationPage, operationType, presentOperationRecord } from '../../operator/operation-history.ts'
import { presentReceipt } from '../../operator/receipt-view.ts'
import { listSubscriptionPage } from '../../operator/subscription-history.ts'
import { MAIL_KINDS, presentMail } from '../../operator/views/mail.ts'
import { listReceiptsToResolve, RECEIPT_STATUSES } from '../../payments/decisions/receipt.ts'
import { isStuck } from '../../payments/receipt.ts'
import { stateOfReceiver } from '../../receivers/receiver.ts'
import { listMails, MAIL_STATES, type MailRecord } from '../../storage/mails/mails.ts'
import { oneOfOrNone } from '../input.ts'
import { type AnyList, list, ofPayment, ofShop, sumOf } from '../list.ts'
import { DEPLOYMENT_LISTS } from './deployment.ts'
import { log } from './log.ts'
import { orders } from './orders.ts'
import { SHOP_LISTS } from './shop.ts'

export const operations = list('operation list', {
  merchantId: ofShop(),
  paymentId: ofPayment(),
  status: oneOfOrNone(OPERATION_STATUSES, { placeholder: 'STATUS' }),
})({
  needs: 'operation list',
  items: 'operations',
  counts: ['operation', 'operations'],
  cut: 'pages',
  async load(ctx, filter) {
    const { operations: found, next } = await listOperationPage(ctx, filter)
    return { found, next }
  },
  columns: {
    id: ({ id }) => id,
    createdAt: ({ createdAt }) => createdAt,
    type: operationType,
    status: ({ status }) => status,
    amount: sumOf,
    paymentId: ({ paymentId }) => paymentId,
  },
  present: presentOperationRecord,
  helpExamples: [
    '--status requires_operator_review',
    '--payment pay_01...',
    '--merchant mer_01... --limit 50',
  ],
})

export const receipts = list('receipt list', {
  merchantId: ofShop(),
  status: oneOfOrNone(RECEIPT_STATUSES, { placeholder: 'STATUS' }),
})({
  needs: 'receipt list',
  items: 'receipts',
  counts: ['receipt', 'receipts'],
  cut: 'newest',
  load: async (ctx, filter) => ({ found: await listReceiptsToResolve(ctx, filter) }),
  columns: {
    id: ({ id }) => id,
    createdAt: ({ createdAt }) => createdAt,
    kind: ({ kind }) => kind,
    amount: sumOf,
    status: ({ status }) => status,
    paymentId: ({ paymentId }) => paymentId,
    reason: ({ statusReason }) => statusReason,
  },
  present(receipt) {
    const { merchantId, paymentId } = receipt
    const { changes: _, ...shown } = presentReceipt(receipt, [])
    return { ...shown, merchantId, paymentId }
  },
  hasNote: (found) => found.some(isStuck),
  helpExamples: ['', '--status unclear', '--merchant mer_01... --limit 50'],
})

export const mails = list('mail list', {
  state: oneOfOrNone(MAIL_STATES, { placeholder: 'STATE' }),
  paymentId: ofPayment(),
})({
  needs: 'mail list',
  items: 'mails',
  counts: ['mail', 'mails'],
  cut: 'newest',
  load: async ({ db }, filter) => ({ found: await listMails(db, filter) }),
  columns: {
    id: ({ id }) => id,
    createdAt: ({ createdAt }) => createdAt,
    kind: ({ kind }) => MAIL_KINDS[kind],
    state: ({ state }) => state,
    attempts: ({ attempts }) => attempts,
    about: aboutOf,
    reason: ({ failure }) => failure,
  },
  present: presentMail,
  helpExamples: ['', '--state failed', '--payment pay_01...'],
})

function aboutOf({ paymentId, notice, merchantId }: MailRecord): string {
  if (notice === null) return paymentId
  return 'accounts' in notice ? notice.accounts.map(({ accountId }) => accountId).join(' ') : merchantId
}

export const subscriptions = list('subscription list', {
  merchantId: ofShop(),
  status: oneOfOrNone(SUBSCRIPTION_STATUSES, { placeholder: 'STATUS' }),
})({
  needs: 'subscription list',
  items: 'subscriptions',
  counts: ['subscription', 'subscriptions'],
  cut: 'pages',
  async load(ctx, filter) {
    const { subscriptions: found, next } = await listSubscriptionPage(ctx, filter)
    return { found, next }
  },
  columns: {
    id: ({ id }) => id,
    createdAt: ({ createdAt }) => createdAt,
    status: ({ status }) => status,
    amount: sumOf,
    interval: ({ interval }) => interval,
    merchantSubscriptionId: ({ merchantSubscriptionId }) => merchantSubscriptionId,
    nextChargeAt: ({ nextChargeAt }) => nextChargeAt,
  },
  present: (record) => record,
  helpExamples: ['', '--status past_due', '--merchant mer_01... --limit 50'],
})

export const events = list('event list', {
  merchantId: ofShop(),
  paymentId: ofPayment(),
  state: oneOfOrNone(EVENT_STATES, { placeholder: 'S' }),
})({
  needs: 'event list',
  items: 'events',
  counts: ['event', 'events'],
  cut: 'pages',
  async load(ctx, filter) {
    const { events: page, next, resting } = await listEventPage(ctx, filter)
    const receiverOf = (merchantId: string) => resting.find((each) => each.merchantId === merchantId)
    return { found: page.map((event) => ({ ...event, receiver: receiverOf(event.merchantId) })), next }
  },
  columns: {
    id: ({ id }) => id,
    createdAt: ({ createdAt }) => createdAt,
    status: ({ status }) => status,
    order: ({ merchantOrderId }) => merchantOrderId,
    state: ({ state, receiver }) =>
      state === 'pending' && receiver ? `${state}, receiver ${stateOfReceiver(receiver)}` : state,
    attempts: ({ attempts }) => attempts,
    dueAt: ({ dueAt, receiver }) => dueAt && sendingTime(dueAt, receiver),
  },
  present: ({ receiver: _, ...event }) => presentEventSummary(event),
  helpExamples: ['', '--merchant mer_01... --state exhausted', '--payment pay_01...', '--after evt_01...'],
})

export const LIST_ROWS: readonly AnyList[] = [
  operations,
  receipts,
  mails,
  subscriptions,
  events,
  orders,
  log,
  ...DEPLOYMENT_LISTS,
  ...SHOP_LISTS,
]
