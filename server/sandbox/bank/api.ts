/** The simulated bank's API: who may call it, what each address does, and what it returns. */
import { z } from 'zod'
import { credentialsOf, type Reply, readJson, type SimulatorRequest } from '../request.ts'
import type { SandboxBank } from './bank.ts'
import type { SandboxCards } from './cards.ts'
import type { WriteName } from './writes.ts'

const WRITE_PATHS: Record<string, WriteName> = {
  refunds: 'refund',
  capture: 'capture',
  void: 'void',
  withdraw: 'withdraw',
}
const Write = z.object({ amountMinor: z.int().min(1).default(1) })
const refusal = (status: number, error: string): Reply => ({ status, text: JSON.stringify({ error }) })

type Simulators = { bank: SandboxBank; cards: SandboxCards }

/** @throws Error when the response is lost: the caller closes the connection */
export async function answerBankRequest(
  simulators: Simulators,
  request: SimulatorRequest,
  now: Date,
): Promise<Reply> {
  const { status, text } = await answer(simulators, request, now)
  // Every object states its mode. The bank has only test money.
  return { status, text: status === 200 ? text.replace(/^\{"(?!mode":)/, '{"mode":"test","') : text }
}

async function answer(
  { bank, cards }: Simulators,
  { method, path, headers, body }: SimulatorRequest,
  now: Date,
): Promise<Reply> {
  const { user: customer, secret } = credentialsOf(headers)
  if (!(await bank.customers.isCustomer(customer, secret)))
    return refusal(401, 'unknown customer, or a wrong secret')
  const [kind = '', reference = '', act = ''] = path.split('/').filter(Boolean).map(decode)
  const at = { customer, reference }
  const sent = body.length === 0 ? {} : readJson(body)
  if (sent === undefined) return refusal(400, 'the body is no JSON')
  const write = Object.hasOwn(WRITE_PATHS, act) ? WRITE_PATHS[act] : undefined
  const key = headers['idempotency-key']
  switch (`${method} ${kind}${act && '/'}${write ? 'write' : act}`) {
    case 'GET customer':
      return { status: 200, text: JSON.stringify({ customer }) }
    case 'GET orders':
      return bank.status(at, now)
    case 'POST orders/write': {
      const { amountMinor } = Write.parse(sent)
      return bank.write(at, write as WriteName, {
        amountMinor,
        key: key === undefined ? key : String(key),
        now,
      })
    }
    case 'PUT cards':
      return cards.open(at, sent)
    case 'GET cards':
      return cards.status(at, now)
    case 'DELETE cards':
      return cards.revoke(at, now)
    case 'POST cards/charges':
      return cards.charge(at, sent, now)
    default:
      return refusal(404, 'no such address')
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
