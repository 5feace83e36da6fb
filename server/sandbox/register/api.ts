/** The API of the simulated cash register: who may call it, what each address does, and what it returns. */
import { createHmac } from 'node:crypto'
import { Found, RegisterOrder } from '../../providers/fiscal/sandbox/wire.ts'
import { credentialsOf, isSameSecret, type Reply, readJson, type SimulatorRequest } from '../request.ts'
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
