/** The table of lists. */
import { listEverybody } from '../../access/users.ts'
import { CURRENCY_CODES } from '../../contract/fields.ts'
import { OPERATION_STATUSES } from '../../contract/operation.ts'
import { SUBSCRIPTION_STATUSES } from '../../contract/subscription.ts'
import { addressUrl, listAddresses, presentAddress } from '../../merchants/address.ts'
import { listMerchants } from '../../merchants/merchant.ts'
import { listApprovals, presentProposal } from '../../operator/approvals/listing.ts'
import { presentMerchant } from '../../operator/merchant-overview.ts'
import { listOperationPage } from '../../operator/operation-history.ts'
import { operationType, presentOperationRecord } from '../../operator/operation-view.ts'
import { presentReceipt } from '../../operator/receipt-view.ts'
import { listWaitingReviews } from '../../operator/shop/reviews.ts'
import { listSubscriptionPage } from '../../operator/subscription-history.ts'
import { MAIL_KINDS, presentMail } from '../../operator/views/mail.ts'
import { presentPerson } from '../../operator/views/person.ts'
import { listReceiptsToResolve, RECEIPT_STATUSES } from '../../payments/decisions/receipt.ts'
import { isStuck } from '../../payments/receipt.ts'
import { listMails, MAIL_STATES, type MailRecord } from '../../storage/mails/mails.ts'
import { oneOfOrNone, optionalText, tick } from '../input.ts'
import { type AnyList, type Cell, list } from '../list.ts'

const ofShop = () => optionalText({ flag: 'merchant', placeholder: 'ID' })
const ofPayment = () => optionalText({ flag: 'payment', placeholder: 'ID' })

type Sum = { amountMinor: number | null; currency?: string | null | undefined }
/** Nothing for what has no amount. */
function sumOf({ amountMinor, currency: code }: Sum): Cell {
  const currency = CURRENCY_CODES.find((each) => each === code)
  return amountMinor === null || !currency ? null : { amountMinor, currency }
}

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

export const addresses = list('address list', { merchantId: ofShop() })({
  needs: 'merchant show',
  items: 'addresses',
  counts: ['address', 'addresses'],
  cut: 'whole',
  load: async (ctx, { merchantId }) => ({ found: await listAddresses(ctx, merchantId) }),
  columns: {
    address: ({ name }, ctx) => addressUrl(ctx, name),
    state: ({ state }) => state,
    productId: ({ productId }) => productId,
    merchantId: ({ merchantId }) => merchantId,
  },
  present: (address, ctx) => presentAddress(ctx, address),
  helpExamples: ['', '--merchant mer_01...'],
})

export const waitingReviews = list(
  'origin waiting',
  {},
)({
  needs: 'origin waiting',
  items: 'requests',
  counts: ['address', 'addresses'],
  cut: 'whole',
  load: async (ctx) => ({ found: (await listWaitingReviews(ctx)).requests }),
  columns: {
    address: ({ origin }) => origin,
    merchantId: ({ merchantId }) => merchantId,
    since: ({ askedAt }) => askedAt,
  },
  present: (request) => request,
  helpExamples: [''],
})

export const people = list(
  'user list',
  {},
)({
  needs: 'user list',
  items: 'users',
  cut: 'whole',
  load: async (ctx) => ({ found: await listEverybody(ctx) }),
  columns: {
    id: ({ operator }) => operator.id,
    name: ({ operator }) => operator.name,
    role: ({ operator }) => operator.role,
    email: ({ user }) => user?.email,
    merchantId: ({ user }) => user?.merchantId ?? 'all',
    removedAt: ({ operator }) => operator.removedAt,
  },
  present: presentPerson,
  counts: ['person', 'people'],
  helpExamples: [''],
})

export const approvals = list('approval list', { all: tick({}) })({
  needs: 'approval list',
  items: 'approvals',
  cut: 'whole',
  load: async (ctx, { all = false }) => ({ found: await listApprovals(ctx, { all }) }),
  columns: {
    id: ({ id }) => id,
    what: ({ what }) => what,
    merchantId: ({ merchantId }) => merchantId,
    amount: sumOf,
    about: ({ about }) => about,
    proposer: ({ proposer }) => proposer,
    expiresAt: ({ expiresAt }) => expiresAt,
    state: ({ state, decider }) => (decider ? `${state} by ${decider}` : state),
  },
  present: presentProposal,
  counts: ['proposal', 'proposals'],
  helpExamples: ['', '--all'],
})

export const merchants = list(
  'merchant list',
  {},
)({
  needs: 'merchant show',
  items: 'merchants',
  counts: ['merchant', 'merchants'],
  cut: 'whole',
  load: async (ctx) => ({ found: await listMerchants(ctx) }),
  columns: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    state: ({ state }) => state,
    callbackUrl: ({ callbackUrl }) => callbackUrl ?? 'no callback URL',
  },
  present: presentMerchant,
  helpExamples: [''],
})

export const LIST_ROWS: readonly AnyList[] = [
  operations,
  receipts,
  mails,
  subscriptions,
  waitingReviews,
  people,
  approvals,
  addresses,
  merchants,
]
