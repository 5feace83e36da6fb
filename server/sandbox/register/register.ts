/**
 * The simulated cash register and its API. The register has consecutive numbers and its own records. It does not recognize a repeated
 * order: the same order sent twice is printed twice. Like real registers, it accepts only rising sequence numbers.
 */

import { createHmac } from 'node:crypto'
import { Found, type Printed, RegisterOrder } from '../../providers/fiscal/sandbox/wire.ts'
import { hooksOf } from '../faults.ts'
import { credentialsOf, isSameSecret, type Reply, readJson, type SimulatorRequest } from '../request.ts'
import { type RefusesOrder, registerHooksOf } from './faults.ts'

/** An order with the name of the register that it was sent to. */
export type TakenOrder = Omit<RegisterOrder, 'fault' | 'paymentFault'> & { register: string }

/** What the register knows when an order comes in. */
type RegisterState = {
  lastSequence: number
  lastNumber: number
  /** Whether an order with this reference came before, printed or not. */
  known: boolean
  /** The amount of the sale that the order names, and how much of it has been refunded. Null: there is no such sale. */
  sale: { amountMinor: number; returnedMinor: number } | null
}

/**
 * Where the register stores its orders. `decide` runs under its lock. It returns the number to print, or null to store the
 * order unprinted.
 */
export type RegisterStore = {
  take(order: TakenOrder, decide: (state: RegisterState) => number | null): Promise<void>
  find(register: string, reference: string): Promise<number | null>
}

type SandboxRegister = ReturnType<typeof createSandboxRegister>

export function createSandboxRegister(store: RegisterStore) {
  return {
    /** @throws Error when the response is lost after the receipt was printed. */
    async print(register: string, { fault, paymentFault, ...order }: RegisterOrder): Promise<Printed> {
      const { away, refuses, reply } = registerHooksOf(fault)
      if (away) return { result: 'unavailable', message: away }
      let answer: number | string = ''
      await store.take({ register, ...order }, (state) => {
        answer = answerTo(order, state, [refuses, hooksOf(paymentFault).receipt])
        return typeof answer === 'number' ? answer : null
      })
      reply?.()
      return typeof answer === 'number'
        ? { result: 'printed', number: answer }
        : { result: 'refused', message: answer }
    },

    /** Returns the number under which this reference was printed, or null. */
    find: (register: string, reference: string): Promise<number | null> => store.find(register, reference),
  }
}

/** Returns the number that it prints, or the reason why it does not print. */
function answerTo(
  order: Omit<TakenOrder, 'register'>,
  state: RegisterState,
  faults: (RefusesOrder | undefined)[],
): number | string {
  const { sequence, saleNumber, amountMinor } = order
  if (sequence <= state.lastSequence) return `104: sequence ${sequence} is not above ${state.lastSequence}`
  const takenOrder = { isRefund: saleNumber !== undefined, isKnown: state.known }
  if (faults.some((refuses) => refuses?.(takenOrder))) return '196: the register is not active'
  if (saleNumber !== undefined) {
    if (!state.sale) return `176: there is no receipt ${saleNumber}`
    const left = state.sale.amountMinor - state.sale.returnedMinor
    if (amountMinor > left) return `178: only ${left} of receipt ${saleNumber} can be returned`
  }
  return state.lastNumber + 1
}

/** Every name is a valid register. Its secret is computed from the key of the registers. */
export function secretOfRegister(key: Buffer, name: string): string {
  return `crs_test_${createHmac('sha256', key).update(`register.${name}`).digest('hex')}`
}

/** @throws Error when the response is lost: the caller closes the connection */
export async function answerRegisterRequest(
  { register, key }: { register: SandboxRegister; key: Buffer },
  { method, path, headers, body }: SimulatorRequest,
): Promise<Reply> {
  const name = nameOf(headers, key)
  if (name === null) return reply(401, { error: 'unknown register, or a wrong secret' })
  const [kind, reference = '', ...rest] = path.split('/').filter(Boolean)
  if (kind !== 'receipts' || rest.length > 0) return reply(404, { error: 'no such address' })
  if (method === 'POST' && reference === '') {
    const order = RegisterOrder.safeParse(readJson(body))
    return order.success
      ? reply(200, await register.print(name, order.data))
      : reply(400, { error: 'the order cannot be read' })
  }
  if (method !== 'GET' || reference === '') return reply(404, { error: 'no such address' })
  const number = await register.find(name, decodeURIComponent(reference))
  return number === null ? reply(404, { error: 'nothing was printed' }) : reply(200, Found.parse({ number }))
}

function reply(status: number, answer: object): Reply {
  return { status, text: JSON.stringify(answer) }
}

function nameOf(headers: SimulatorRequest['headers'], key: Buffer): string | null {
  const { user, secret } = credentialsOf(headers)
  try {
    const name = decodeURIComponent(user)
    return name !== '' && isSameSecret(secret, secretOfRegister(key, name)) ? name : null
  } catch {
    return null
  }
}
