/** Vault v3 of the simulated PayPal: setup tokens, which a buyer approves, and payment tokens, which can be charged. */
import type { SimAccount, SimSetup, SimToken, World } from './books.ts'
import { tell } from './events.ts'
import { presentSetup, presentToken } from './present.ts'
import {
  type AccountRequest,
  at,
  json,
  LIFETIMES,
  NO_CONTENT,
  once,
  type Reply,
  refuseVaulting,
} from './reply.ts'

const SETUP_LASTS_MS = 72 * 3_600_000

export function createSetup(request: AccountRequest): Reply {
  const { world, account, json: body, headers } = request
  if (headers['paypal-request-id'] === undefined) return refuseVaulting(400, 'MISSING_REQUIRED_PARAMETER')
  const context = at(body, 'payment_source', 'paypal', 'experience_context')
  if (context === undefined) return refuseVaulting(422, 'RETURN_URL_REQUIRED')
  return once(request, LIFETIMES.vault, () => {
    const setup: SimSetup = {
      id: world.newId('S'),
      customerId: world.newId('cust_'),
      status: 'PAYER_ACTION_REQUIRED',
      pages: { returnUrl: String(at(context, 'return_url')), cancelUrl: String(at(context, 'cancel_url')) },
      instrument: 'good',
      createdAt: world.now(),
    }
    account.setups.set(setup.id, setup)
    return { made: () => presentSetup(world, setup) }
  })
}

function findSetup({ account, world }: AccountRequest, id: string): SimSetup | null {
  const setup = account.setups.get(id)
  return setup && world.now().getTime() < setup.createdAt.getTime() + SETUP_LASTS_MS ? setup : null
}

export function showSetup(request: AccountRequest, id: string): Reply {
  const setup = findSetup(request, id)
  return setup ? json(200, presentSetup(request.world, setup)) : refuseVaulting(404, 'INVALID_RESOURCE_ID')
}

export function createToken(request: AccountRequest): Reply {
  const { world, account, json: body, headers } = request
  if (headers['paypal-request-id'] === undefined) return refuseVaulting(400, 'MISSING_REQUIRED_PARAMETER')
  const source = at(body, 'payment_source', 'token')
  return once(request, LIFETIMES.vault, () => {
    const setup = findSetup(request, String(at(source, 'id')))
    if (!setup || at(source, 'type') !== 'SETUP_TOKEN') return refuseVaulting(422, 'SETUP_TOKEN_NOT_FOUND')
    if (setup.status !== 'APPROVED') return refuseVaulting(422, 'INVALID_SETUP_TOKEN_STATUS')
    setup.status = 'VAULTED'
    const { id: setupId, customerId, instrument } = setup
    const token = { id: world.newId('pt_'), setupId, customerId, instrument }
    account.tokens.set(token.id, token)
    const resource = presentToken(world, token)
    tell(world, account, { name: 'VAULT.PAYMENT-TOKEN.CREATED', kind: 'payment_token', resource })
    return { made: () => presentToken(world, token) }
  })
}

export function showToken({ world, account }: AccountRequest, id: string): Reply {
  const token = account.tokens.get(id)
  return token ? json(200, presentToken(world, token)) : refuseVaulting(404, 'INVALID_RESOURCE_ID')
}

export function listTokens({ world, account, query }: AccountRequest): Reply {
  const customerId = query.get('customer_id') ?? ''
  const own = [...account.tokens.values()].filter((each) => each.customerId === customerId)
  return json(200, {
    customer: { id: customerId },
    payment_tokens: own.map((each) => presentToken(world, each)),
    links: [
      {
        href: `${world.origin()}/v3/vault/payment-tokens?customer_id=${customerId}`,
        rel: 'self',
        method: 'GET',
      },
    ],
  })
}

export function deleteToken({ world, account }: AccountRequest, id: string): Reply {
  const token = account.tokens.get(id)
  if (!token) return refuseVaulting(404, 'INVALID_RESOURCE_ID')
  endToken(world, account, token)
  return NO_CONTENT
}

/** The buyer can also do this in the settings of the PayPal account. */
export function endToken(world: World, account: SimAccount, token: SimToken): void {
  account.tokens.delete(token.id)
  const resource = presentToken(world, token)
  tell(world, account, { name: 'VAULT.PAYMENT-TOKEN.DELETED', kind: 'payment_token', resource })
}
