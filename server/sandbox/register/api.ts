/** The API of the simulated cash register: who may call it, what each address does, and what it returns. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Found, RegisterOrder } from '../../providers/fiscal/sandbox/wire.ts'
import type { Reply, SimulatorRequest } from '../request.ts'
import type { SandboxRegister } from './register.ts'

/** Every name is a valid register. Its secret is computed from the key of whoever runs the registers. */
export function secretOfRegister(key: Buffer, name: string): string {
  return `crs_test_${createHmac('sha256', key).update(`register.${name}`).digest('hex')}`
}

/** @throws Error when the response is lost: the caller closes the connection */
export async function answerRegisterRequest(
  { register, key }: { register: SandboxRegister; key: Buffer },
  { method, path, headers, body }: SimulatorRequest,
): Promise<Reply> {
  const name = nameIn(String(headers.authorization ?? ''), key)
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

function nameIn(header: string, key: Buffer): string | null {
  const [, encoded = ''] = /^Basic (.+)$/i.exec(header) ?? []
  const [, user = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  try {
    const name = decodeURIComponent(user)
    const [given, own] = [Buffer.from(secret), Buffer.from(secretOfRegister(key, name))]
    return name !== '' && given.length === own.length && timingSafeEqual(given, own) ? name : null
  } catch {
    return null
  }
}

/** Undefined for a body that cannot be read. */
function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
