/** The driver's members for saved cards: a session in setup mode, and then payment intents without the buyer. */
import { z } from 'zod'
import { AccountRefusedError } from '../driver/refusal.ts'
import { readWord } from '../driver/words.ts'
import type {
  ChargeResult,
  Driver,
  MethodSaving,
  ProviderOrder,
  TokenCharge,
  TokenLookUp,
  WriteResult,
} from '../driver.ts'
import { openSession } from './checkout.ts'
import { askStripe, isAnswer, isMissing, type Refusal, read, refusalOf, type StripeCall } from './client.ts'
import { meaningOf } from './declines.ts'
import { findOrder } from './find.ts'
import { describeRefusal } from './refusals.ts'
import { keyOfCharge } from './request-id.ts'
import type { StripeSettings } from './settings.ts'
import {
  Intent,
  idOf,
  labelsOf,
  Mandate,
  type OrderState,
  REFERENCE,
  SavedMethod,
  SetupSession,
} from './shapes.ts'
import { MANDATE_WORDS, SETUP_WORDS } from './words.ts'

const MethodState = z.object({
  session: z.string().optional(),
  customer: z.string().optional(),
  method: z.string().optional(),
  /** For a card whose bank wants the buyer's permission for each renewal, as in India. */
  mandate: z.string().optional(),
})
type MethodState = z.infer<typeof MethodState>

async function saveToken(call: StripeCall, saving: MethodSaving) {
  const metadata = { [REFERENCE]: saving.reference }
  return openSession(call, saving, {
    mode: 'setup',
    metadata,
    allowed_payment_method_types: ['card'],
    customer_creation: 'always',
    setup_intent_data: { metadata },
  })
}

async function lookUpToken(call: StripeCall, token: ProviderOrder): Promise<TokenLookUp> {
  const known = stateOf(token)
  if (known.method !== undefined) return lookUpMethod(call, known)
  const session = await findSession(call, token, known)
  if (session === 'unsure')
    return { kind: 'unavailable', message: 'too many sessions at Stripe to find this one' }
  if (!session) return { kind: 'not_found' }
  if (session.status !== 'complete')
    return {
      kind: 'found',
      status: session.status === 'expired' ? 'expired' : 'pending',
      state: { session: session.id },
    }
  const { setup_intent: setup } = session
  if (!setup || typeof setup === 'string') throw new Error('Stripe has not expanded the setup intent')
  const { payment_method: method } = setup
  const isSaved = readWord(call, 'setup intent status', SETUP_WORDS, setup.status, 'waiting') === 'saved'
  if (!isSaved || !method) return { kind: 'found', status: 'pending', state: { session: session.id } }
  if (typeof method === 'string') throw new Error('Stripe has not expanded the payment method')
  return presentMethod(method, {
    session: session.id,
    ...(setup.mandate && { mandate: idOf(setup.mandate) }),
  })
}

async function lookUpMethod(call: StripeCall, known: MethodState): Promise<TokenLookUp> {
  const { method = '', mandate } = known
  const answer = await askStripe(call, (stripe) => stripe.paymentMethods.retrieve(method))
  const found = presentMethod(read(call, SavedMethod, answer), known)
  if (mandate === undefined || found.kind !== 'found' || found.status !== 'active') return found
  const { status } = read(call, Mandate, await askStripe(call, (stripe) => stripe.mandates.retrieve(mandate)))
  const meaning = readWord(call, 'mandate status', MANDATE_WORDS, status, 'valid')
  return meaning === 'ended' ? { kind: 'found', status: 'revoked' } : found
}

/** A method that belongs to no customer can never be charged again. */
function presentMethod(
  { id, customer, card }: z.infer<typeof SavedMethod>,
  { session, mandate }: MethodState,
): TokenLookUp {
  if (customer === null) return { kind: 'found', status: 'revoked' }
  const state: MethodState = { session, customer: idOf(customer), method: id, ...(mandate && { mandate }) }
  if (!card) return { kind: 'found', status: 'active', state }
  const expiry = `${card.exp_year}-${String(card.exp_month).padStart(2, '0')}`
  return { kind: 'found', status: 'active', state, card: { brand: card.brand, last4: card.last4, expiry } }
}

async function findSession(
  call: StripeCall,
  order: ProviderOrder,
  known: MethodState,
): Promise<SetupSession | 'unsure' | null> {
  let id = known.session
  if (id === undefined) {
    const search = await findOrder(call, order, ['session'])
    if (search.kind === 'unsure') return 'unsure'
    id = search.kind === 'found' ? search.state.session : undefined
    if (id === undefined) return null
  }
  const expand = ['setup_intent.payment_method']
  const answer = await askStripe(call, (stripe) => stripe.checkout.sessions.retrieve(id, { expand }))
  return read(call, SetupSession, answer)
}

/** A method is detached without a look-up before. It is looked up only if Stripe refuses. */
async function revokeToken(call: StripeCall, token: ProviderOrder): Promise<WriteResult> {
  const { method } = stateOf(token)
  try {
    if (method !== undefined) await askStripe(call, (stripe) => stripe.paymentMethods.detach(method))
    else return await endSaving(call, token)
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    const found = await lookUpToken(call, token)
    const isOver = found.kind === 'not_found' || (found.kind === 'found' && found.status !== 'active')
    if (!isOver) return { kind: 'refused', message: describeRefusal(refusal), refusal: 'order' }
  }
  return { kind: 'done' }
}

/** The card may have been saved since the last question. */
async function endSaving(call: StripeCall, token: ProviderOrder): Promise<WriteResult> {
  const found = await lookUpToken(call, token)
  if (found.kind === 'unavailable') return { kind: 'unknown', message: found.message }
  if (found.kind === 'not_found') return { kind: 'done' }
  const { method, session } = MethodState.parse(found.state ?? {})
  if (found.status === 'active' && method !== undefined)
    await askStripe(call, (stripe) => stripe.paymentMethods.detach(method))
  if (found.status === 'pending' && session !== undefined)
    await askStripe(call, (stripe) => stripe.checkout.sessions.expire(session))
  return { kind: 'done' }
}

async function chargeToken(call: StripeCall, charge: TokenCharge): Promise<ChargeResult> {
  const { customer, method } = stateOf(charge.token)
  if (customer === undefined || method === undefined)
    return { kind: 'refused', message: 'no card was saved', decline: 'hard' }
  const params = {
    amount: charge.amountMinor,
    currency: charge.currency.toLowerCase(),
    customer,
    payment_method: method,
    allowed_payment_method_types: ['card' as const],
    off_session: true,
    confirm: true,
    ...labelsOf(charge),
  }
  const options = keyOfCharge(charge)
  try {
    const intent = read(
      call,
      Intent,
      await askStripe(call, (stripe) => stripe.paymentIntents.create(params, options)),
    )
    const state: OrderState = { intent: intent.id }
    return { kind: intent.status === 'succeeded' ? 'done' : 'pending', state }
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) return unknownCharge(call, error, { customer })
    if (refusal.code === 'resource_missing') await expectKnown(call, method)
    return { kind: 'refused', message: describeDecline(refusal), decline: declineOf(refusal) }
  }
}

/**
 * Stripe has answered, and nobody knows what it has done, such as after a 500. It is looked for among the customer's charges.
 * @throws the error if there was no answer
 */
function unknownCharge(call: StripeCall, error: unknown, state: OrderState): ChargeResult {
  if (!isAnswer(error)) throw error
  call.log('warn', 'charge with an unknown outcome', { why: error.message })
  return { kind: 'unknown', message: error.message, state }
}

/**
 * A card that is not attached any more still exists at Stripe. A key that does not find it belongs to another account.
 * @throws AccountRefusedError if this key does not find the card
 */
async function expectKnown(call: StripeCall, method: string): Promise<void> {
  try {
    await askStripe(call, (stripe) => stripe.paymentMethods.retrieve(method))
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new AccountRefusedError(
      'account',
      'Stripe does not find the saved card with this key. The key may belong to another Stripe account.',
    )
  }
}

/**
 * A card that no customer has any more is a hard decline. A request that Stripe rejects as invalid says nothing about the card.
 */
function declineOf({ code, declineCode }: Refusal) {
  const isGone = code === 'resource_missing' || code === 'payment_method_unexpected_state'
  return isGone ? 'hard' : meaningOf(declineCode, code).decline
}

function describeDecline(refusal: Refusal): string {
  const { declineCode, code } = refusal
  return declineCode
    ? `declined (${declineCode})`
    : code === 'card_declined'
      ? 'declined'
      : describeRefusal(refusal)
}

function stateOf({ state }: ProviderOrder): MethodState {
  return MethodState.safeParse(state).data ?? {}
}

export const methodMembers = {
  saveToken,
  lookUpToken,
  revokeToken,
  chargeToken,
} satisfies Partial<Driver<StripeSettings>>
