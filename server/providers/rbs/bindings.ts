/**
 * Saved cards. The bank calls them bindings, and makes one of a real payment that names a client. Each saving has a client of its own,
 * so the client's only binding is the card.
 * Rule: that the bank accepts a charge is no proof. The order's status is.
 */
import { z } from 'zod'
import { savedCardOf } from '../arca/card.ts'
import { SESSION_MS, timeOf } from '../arca/order.ts'
import { beforeReturn, isEnded, moneyOf, outcomeOfCharge, statusOfSaving } from '../arca/saving.ts'
import { snapshotOf } from '../arca/snapshot.ts'
import { AccountRefusedError } from '../driver/refusal.ts'
import type {
  ChargeResult,
  Driver,
  MethodSaving,
  SavingResult,
  TokenCharge,
  TokenLookUp,
  WriteResult,
} from '../driver.ts'
import { checkoutMembers, type Ordered, readOrder, register, stateAfter } from './checkout.ts'
import { type OrderState, stateOf } from './order.ts'
import { askRbs, CODES, expectLogin, type RbsAnswer, type RbsCall } from './request.ts'
import type { RbsSettings } from './settings.ts'
import { Bindings } from './wire.ts'
import { send, sendRefund } from './writes.ts'

const bindingOf = (state: unknown): string | undefined =>
  z.object({ binding: z.string() }).safeParse(state).data?.binding

const AGAIN = [2, 3, 4]

export const bindingMembers = {
  savingPrice: ({ SAVING_AMOUNT: amountMinor, SAVING_CURRENCY: currency }) => ({ amountMinor, currency }),

  async saveToken(call, saving): Promise<SavingResult> {
    const { SAVING_AMOUNT: amountMinor, SAVING_CURRENCY: currency, STEPS } = call.settings
    const price = saving.price ?? { amountMinor, currency }
    const { reference } = saving
    const order = { ...saving, ...price, orderReference: reference, description: null }
    for (const number of numbersOf(reference)) {
      const registered = await register(call, STEPS, { ...order, reference: number }, { clientId: reference })
      if (registered.kind === 'used') {
        if (await isLeft(call, number, saving)) continue
        return { kind: 'unknown', message: 'a buyer may be at the order of an earlier request' }
      }
      if (registered.kind !== 'registered') return registered
      const { url, state, until } = registered
      return { kind: 'redirect', url, state: { ...state, number }, expiresAt: until }
    }
    return { kind: 'unknown', message: 'the bank has several orders with this number' }
  },

  async lookUpToken(call, token): Promise<TokenLookUp> {
    const found = await checkoutMembers.lookUp(call, token)
    if (found.kind !== 'found') return found
    const known = bindingOf(token.state)
    const state = { ...stateOf(found.state ?? token.state), ...(known !== undefined && { binding: known }) }
    const money = moneyOf(found.snapshot, stateOf(state)?.id ?? token.reference)
    if (!money) return { kind: 'found', status: statusOfSaving(found.snapshot), state }
    const binding = await findBinding(call, token.reference)
    if (!binding)
      return { kind: 'found', status: known === undefined ? 'cancelled' : 'revoked', state, money }
    const card = savedCardOf(binding.maskedPan, binding.expiryDate)
    return {
      kind: 'found',
      status: 'active',
      state: { ...state, binding: binding.bindingId },
      ...(card && { card }),
      money,
    }
  },

  async finishSaving(call, { before: saved, key, refusedTimes = 0, reference, state }): Promise<WriteResult> {
    const before = beforeReturn(saved)
    const order = { reference, state }
    if (saved.heldMinor > 0) return send(call, 'reverse.do', { order, before, amountMinor: null })
    const amountMinor = saved.takenMinor - saved.returnedMinor
    return sendRefund(call, { key, refusedTimes }, { order, before, amountMinor })
  },

  async revokeToken(call, token): Promise<WriteResult> {
    // The order may have been paid since the last question. One that is not paid ends with its session.
    const binding = bindingOf(token.state) ?? (await findBinding(call, token.reference))?.bindingId
    if (binding === undefined) return { kind: 'done' }
    const { code } = await askRbs(call, 'unBindCard.do', { bindingId: binding })
    // Code 2: the binding is not active any more.
    if (code === CODES.done || code === CODES.notFound) return { kind: 'done' }
    if (code === CODES.denied) await refuseBindings(call)
    return { kind: 'unknown', message: `the bank answered with code ${code}` }
  },

  async chargeToken(call, { token, ...charge }): Promise<ChargeResult> {
    const binding = bindingOf(token.state)
    if (binding === undefined) return { kind: 'refused', message: 'no card is saved', decline: 'hard' }
    const order = await orderOfCharge(call, charge, token.reference)
    if ('kind' in order) return order
    const answer = await askRbs(call, 'paymentOrderBinding.do', { mdOrder: order.id, bindingId: binding })
    return resultOf(call, answer, { reference: charge.reference, state: order, clientId: token.reference })
  },
} satisfies Pick<
  Driver<RbsSettings>,
  'saveToken' | 'savingPrice' | 'lookUpToken' | 'finishSaving' | 'revokeToken' | 'chargeToken'
>

/**
 * Whether nobody can pay an order that has this number already, so that the next one has another. The address of an order stands in the
 * answer to its registration alone. That answer was lost, unless our database has forgotten it with a restore.
 */
async function isLeft(
  call: RbsCall,
  reference: string,
  { mayBeHandedOut }: Pick<MethodSaving, 'mayBeHandedOut'>,
): Promise<boolean> {
  const answer = await readOrder(call, { reference, state: null })
  if (answer === null) return false
  const registeredAt = timeOf(answer.date)?.getTime() ?? Number.POSITIVE_INFINITY
  const isFinal = call.settings.GATEWAY === 'arca' || call.now().getTime() >= registeredAt + SESSION_MS
  const { order, authorizedMinor } = snapshotOf(answer, { isFinal })
  if (order === 'waiting') return !mayBeHandedOut
  return authorizedMinor === 0 && isFinal && isEnded(order)
}

/**
 * Returns the order that is charged, and keeps what it is found with before any money moves. The order of an earlier request is used as long
 * as its session lasts. After that the bank takes no charge for it, and the next order has another number.
 */
async function orderOfCharge(
  call: RbsCall,
  charge: Ordered & Pick<TokenCharge, 'state'>,
  clientId: string,
): Promise<OrderState | ChargeResult> {
  const kept = stateOf(charge.state)
  if (kept !== null && !isPast(call, kept.until)) return kept
  const { reference } = charge
  for (const number of numbersOf(reference)) {
    const order = { ...charge, reference: number }
    const registered = await register(call, 'one', order, { clientId, isCharge: true })
    if (registered.kind === 'unknown') return registered
    if (registered.kind === 'refused')
      return { kind: 'refused', message: registered.message, decline: 'soft' }
    const known = registered.kind === 'used' ? await findUsed(call, number) : registered.state
    if (known === 'over') continue
    if (known === null) return { kind: 'unknown', message: 'the bank has an order with this number' }
    const own = number === reference ? {} : { number }
    const state: OrderState = { ...known, ...own, steps: 'one', isCharge: true }
    await call.keepState?.(state)
    return state
  }
  return { kind: 'unknown', message: 'the bank has several orders with this number' }
}

/** The reference, and what follows it where nobody can pay the order that has it. */
const numbersOf = (reference: string) => [reference, ...AGAIN.map((times) => `${reference}-${times}`)]

const isPast = ({ now }: RbsCall, until: string | undefined) =>
  until !== undefined && now().getTime() >= Date.parse(until)

/**
 * An earlier registration of the same charge. No charge was sent after it that may have arrived, and the bank charges an order once. `over`:
 * its session has ended without a charge. Null while the bank has not told its id.
 */
async function findUsed(call: RbsCall, reference: string): Promise<OrderState | 'over' | null> {
  const answer = await readOrder(call, { reference, state: null })
  if (answer === null) return null
  const { order } = snapshotOf(answer, { steps: 'one', isCharge: true, isFinal: true })
  const registeredAt = timeOf(answer.date)?.getTime() ?? Number.POSITIVE_INFINITY
  const isLong = call.now().getTime() >= registeredAt + SESSION_MS
  if (order === 'expired' || (order === 'waiting' && isLong)) return 'over'
  const state = stateAfter(answer, null)
  const until = new Date(Math.min(registeredAt, call.now().getTime()) + call.settings.SESSION_SECONDS * 1_000)
  return state && { ...state, until: until.toISOString() }
}

async function findBinding(call: RbsCall, clientId: string) {
  const { code, body } = await askRbs(call, 'getBindings.do', { clientId })
  if (code === CODES.notFound) return undefined
  if (code !== CODES.done) throw new Error(`the bank answered about the saved card with code ${code}`)
  return Bindings.parse(body).bindings[0]
}

/** @throws AccountRefusedError: of the first login if it is refused too, and else of the right to charge saved cards */
async function refuseBindings(call: RbsCall): Promise<never> {
  await expectLogin(call)
  throw new AccountRefusedError(
    'rights',
    'The bank refuses the login for saved cards (code 5): its password has to be changed at the bank first, or the login lacks the right.',
  )
}

/**
 * Only the number 0 in `success` says that ArCa's gateway has accepted a charge. Other gateways say it with `errorCode`. Returns null
 * for what nobody can read.
 */
function chargeCode({ settings }: RbsCall, { code, body }: RbsAnswer): number | null {
  if (typeof body.success === 'number') return code
  const isOther = settings.GATEWAY === 'other' && body.success === undefined
  return isOther || code !== CODES.done ? code : null
}

type Charged = { reference: string; state: OrderState; clientId: string }

/** `answer`: the answer to the charge. It does not tell whether the bank of the card has paid, so the order is asked about. */
async function resultOf(call: RbsCall, answer: RbsAnswer, charged: Charged): Promise<ChargeResult> {
  const { state, clientId } = charged
  if (typeof answer.body.acsUrl === 'string')
    return { kind: 'refused', message: 'the bank wants the buyer to confirm it', decline: 'soft', state }
  const code = chargeCode(call, answer)
  const found = await checkoutMembers.lookUp(call, charged).catch(() => null)
  const snapshot = found?.kind === 'found' ? found.snapshot : null
  const outcome = snapshot && outcomeOfCharge(snapshot, state)
  if (outcome) return outcome
  if (code === CODES.done) return { kind: 'pending', state }
  // The order is as it was registered, so no charge has reached the bank of the card.
  const isUntouched = snapshot?.order === 'waiting'
  if (code === CODES.denied && isUntouched) await refuseBindings(call)
  if (code === CODES.notFound && isUntouched && !(await findBinding(call, clientId)))
    return { kind: 'refused', message: 'the card is not saved at the bank any more', decline: 'hard', state }
  return { kind: 'unknown', message: `the bank answered with code ${code ?? 'in no known form'}`, state }
}
