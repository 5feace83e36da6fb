/**
 * The sandbox driver. It calls the simulated bank over HTTP, like any other provider. A response that does not match the bank's
 * protocol is not believed.
 */
import { z } from 'zod'
import { CURRENCY_CODES, CurrencyCode } from '../../contract/fields.ts'
import { ok, problem } from '../driver/finding.ts'
import { plainReply } from '../driver/inbound.ts'
import type {
  Driver,
  Keyed,
  LookUpResult,
  MoneyWrite,
  RawInbound,
  Snapshot,
  Standing,
  WriteResult,
} from '../driver.ts'
import { cardMembers } from './cards.ts'
import { accessOf, askAnyMode, askBank, type SandboxCall } from './request.ts'
import { SandboxSettings } from './settings.ts'
import { faultInMetadata, isEqual, nameOfSecret, orderUrl, SIGNATURE_HEADER, signatureOf } from './wire.ts'

/** The bank's states in our words. */
const STANDINGS = {
  registered: 'reached',
  held: 'reached',
  declined: 'declined',
  cancelled: 'cancelled',
  withdrawn: 'expired',
  expired: 'expired',
  unknown: 'unclear',
  approved: 'completed',
  deposited: 'completed',
  refunded: 'completed',
  reversed: 'voided',
} as const satisfies Record<string, Standing>

const HOUR_MS = 3_600_000
/** From the bank's manual: how long it remembers a key. */
const KEY_LIFETIME_MS = 24 * HOUR_MS
const KEYED: Keyed = { refund: KEY_LIFETIME_MS, capture: KEY_LIFETIME_MS, void: KEY_LIFETIME_MS }
/** From the bank's manual: how long after its capture a payment is settled. */
const VOIDABLE_MS = 24 * HOUR_MS

const Money = z.int().min(0)
/** The bank's description of an order, in its own words. */
const BankDescription = z.object({
  reference: z.string(),
  amountMinor: Money,
  currency: CurrencyCode,
  state: z.enum(Object.keys(STANDINGS) as (keyof typeof STANDINGS)[]),
  authorizedMinor: Money,
  capturedMinor: Money,
  refundedMinor: Money,
  refundPendingMinor: Money,
  refunds: z.array(
    z.object({
      key: z.string().optional(),
      amountMinor: Money,
      state: z.enum(['pending', 'done', 'failed']),
    }),
  ),
  /** The sums of the open disputes, and of those that buyers won. */
  disputedMinor: Money,
  disputeLostMinor: Money,
  checkoutUrl: z.url(),
  decline: z.enum(['soft', 'hard']).optional(),
  capturedAt: z.iso.datetime().optional(),
  transactionId: z.string().optional(),
  rrn: z.string().optional(),
  approvalCode: z.string().optional(),
  card: z.object({ brand: z.string(), last4: z.string() }).optional(),
})
type BankDescription = z.infer<typeof BankDescription>

const Verdict = z.discriminatedUnion('result', [
  z.object({ result: z.enum(['done', 'pending']), operationId: z.string() }),
  z.object({ result: z.literal('refused'), message: z.string() }),
])
const NamedOrder = z.object({ reference: z.string() })
const Customer = z.object({ customer: z.string(), mode: z.enum(['test', 'live']) })

const orderPath = (reference: string) => `orders/${encodeURIComponent(reference)}`

function write(act: 'refunds' | 'capture' | 'void') {
  return async (call: SandboxCall, { reference, amountMinor, key }: MoneyWrite): Promise<WriteResult> =>
    readVerdict(
      await askBank(call, {
        method: 'POST',
        path: `${orderPath(reference)}/${act}`,
        body: { amountMinor },
        key,
      }),
    )
}

function readVerdict(answer: unknown): WriteResult {
  if (answer === null) return { kind: 'refused', message: 'the bank knows no such order', refusal: 'order' }
  const verdict = Verdict.parse(answer)
  return verdict.result === 'refused'
    ? { kind: 'refused', message: verdict.message, refusal: 'order' }
    : { kind: verdict.result, operationId: verdict.operationId }
}

/** The text of the label for a route whose operations do not work. */
const STATES_OF_OPERATIONS: Record<string, string> = {
  disabled: 'refunds and other operations are disabled',
  not_configured: 'refunds and other operations are not set up',
}

export const sandboxDriver: Driver<z.infer<typeof SandboxSettings>> = {
  label: 'Simulated bank',
  mark: 'card',
  labelOf({ STEPS, OPERATIONS }) {
    const steps = STEPS === 'two' ? 'payments are authorized, then captured' : 'payments are paid at once'
    return `Simulated bank: ${STATES_OF_OPERATIONS[String(OPERATIONS)] ?? steps}`
  },
  currencies: CURRENCY_CODES,
  liveCapable: false,
  supportsAutoinit: true,
  settings: SandboxSettings,
  identity: ['CUSTOMER'],
  secrets: ['SECRET'],
  // The bank has only test money. A secret for real money exists so that its rejection can be tested.
  modeOf: ({ SECRET }) => (SECRET?.startsWith('live_') ? 'live' : 'test'),
  addresses: ({ ADDRESS }) => (ADDRESS === undefined ? [] : [ADDRESS]),
  keyed: () => KEYED,

  composeCheckout(call, attempt) {
    const { reference, merchantName, amountMinor, currency, returnUrl, callbackUrl, metadata } = attempt
    const { STEPS, FAULT } = call.settings
    const { bankUrl, customer, secret } = accessOf(call)
    const fault = faultInMetadata(metadata) ?? FAULT
    const url = orderUrl(bankUrl, customer, secret, {
      reference,
      merchantName,
      amountMinor,
      currency,
      returnUrl,
      twoStep: STEPS === 'two',
      callbackUrl,
      ...(fault && { fault, expiresAt: attempt.expiresAt.toISOString() }),
    })
    return { kind: 'redirect', url }
  },

  async lookUp(call, { reference }): Promise<LookUpResult> {
    const answer = await askBank(call, { method: 'GET', path: orderPath(reference) })
    if (answer === null) return { kind: 'not_found' }
    const picture = BankDescription.parse(answer)
    const opened = { kind: 'redirect', url: picture.checkoutUrl } as const
    return { kind: 'found', opened, snapshot: snapshotOf(picture) }
  },

  async withdraw(call, { reference }) {
    return readVerdict(await askBank(call, { method: 'POST', path: `${orderPath(reference)}/withdraw` }))
  },

  refund: write('refunds'),
  capture: write('capture'),
  void: write('void'),

  eligible(call, operation, { snapshot: { capturedAt } }) {
    if (operation !== 'void' || capturedAt === undefined) return null
    const settledAt = new Date(capturedAt).getTime() + VOIDABLE_MS
    return call.now().getTime() > settledAt
      ? 'the bank has settled the payment, so it can only be refunded'
      : null
  },

  ...cardMembers,

  callbacksSetUp: () => 'always',
  inbound: {
    async receive(call, raw) {
      if (!isFromBank(call, raw)) return { kind: 'rejected', message: "the signature is not the bank's" }
      return { kind: 'hint', reference: NamedOrder.parse(JSON.parse(raw.body.toString())).reference }
    },
    reply: plainReply,
  },

  async check(call) {
    const { bankUrl, customer } = accessOf(call)
    const answer = Customer.parse(await askAnyMode(call, { method: 'GET', path: 'customer' }))
    if (answer.customer !== customer)
      return [problem(`The credentials are those of ${answer.customer}, not of ${customer}.`)]
    const reached = ok(`The bank at ${bankUrl} takes the credentials of ${answer.customer}.`, {
      refusal: 'credentials',
    })
    const isOfMode = (answer.mode === 'live') === call.account.live
    return [
      reached,
      isOfMode
        ? ok(`The bank says that these are ${answer.mode} credentials.`)
        : problem(`The bank says that these are ${answer.mode} credentials.`),
    ]
  },
}

function snapshotOf(picture: BankDescription): Snapshot {
  const { reference, amountMinor, currency, state, decline, card, transactionId } = picture
  const { authorizedMinor, capturedMinor, refundedMinor, refundPendingMinor, disputedMinor } = picture
  const { capturedAt, rrn, approvalCode, refunds, disputeLostMinor } = picture
  return {
    order: STANDINGS[state],
    reference,
    amountMinor,
    currency,
    authorizedMinor,
    capturedMinor,
    refundedMinor,
    refundPendingMinor,
    refunds: refunds.map(({ key, ...refund }) => ({ ...(key !== undefined && { key }), ...refund })),
    ...(state === 'held' && {
      isUnderWay: true as const,
      detail: 'the bank is still working on the payment',
    }),
    ...(state === 'declined' && { detail: 'the bank declined', declineCategory: 'ask_another_card' }),
    ...(state === 'unknown' && { detail: "the bank's response is lost" }),
    ...(state === 'expired' && { detail: "the bank's own time limit was reached" }),
    ...(decline && { decline }),
    ...(capturedAt !== undefined && { capturedAt }),
    ...(transactionId !== undefined && { providerTransactionId: transactionId }),
    ...(rrn !== undefined && { rrn }),
    ...(approvalCode !== undefined && { approvalCode }),
    ...(card && { instrument: { kind: 'card', ...card } }),
    ...(disputedMinor > 0 && { dispute: { amountMinor: disputedMinor } }),
    ...(disputeLostMinor > 0 && { disputeLostMinor }),
  }
}

/** Returns whether one of the signatures was made with our secret. */
function isFromBank(call: SandboxCall, { headers, body }: RawInbound): boolean {
  const { secret } = accessOf(call)
  const given = (headers[SIGNATURE_HEADER] ?? '').split(',')
  // Once, because a stranger can send a thousand signatures of a large body.
  const expected = `${nameOfSecret(secret)}=${signatureOf(secret, body)}`
  return given.some((each) => isEqual(each, expected))
}
