/** The simulated PayPal's webhooks. They are signed with its own key, and merchants can have them verified. */
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { plan, type SimAccount, type SimOrder, timeText, type World } from './books.ts'
import { hooksOf } from './faults.ts'
import { type AccountRequest, json, type Reply, refuse, write } from './reply.ts'

const ALGORITHM = 'SHA256withRSA'
export const CERT_PATH = '/v1/notifications/certs/CERT-simulated'

/** PayPal's key pair, made when it is first used. */
let pair: ReturnType<typeof makePair> | undefined
const makePair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
function keys() {
  pair ??= makePair()
  return pair
}

export const certificate = (): string => keys().publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** Returns the signed text: the transmission's id and time, the webhook's id, and the checksum of the exact bytes. */
function signedText(id: string, time: string, webhookId: string, body: string): Buffer {
  return Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`)
}

/** `kind`: PayPal's name of the resource, such as `capture`. */
export type Telling = {
  name: string
  kind: string
  resource: object
  captureId?: string
  order?: SimOrder | undefined
}

/** Stores the event, and sends it to the account's webhooks that subscribe to it. */
export function tell(world: World, account: SimAccount, telling: Telling): void {
  const { name, kind, resource, captureId, order } = telling
  const event = {
    id: world.newId('WH'),
    create_time: timeText(world.now()),
    resource_type: kind,
    event_version: '1.0',
    event_type: name,
    summary: name.toLowerCase().replaceAll('.', ' '),
    resource_version: '2.0',
    resource,
  }
  account.events.push({ name, at: world.now(), event, captureId })
  for (const webhook of account.webhooks.values()) {
    if (!webhook.events.includes('*') && !webhook.events.includes(name)) continue
    const send = () => world.send(transmit(world, webhook, event))
    for (const delayMs of hooksOf(order?.fault).sentAfterMs?.(account.events.length) ?? [0])
      if (delayMs > 0) plan(world, delayMs, send)
      else send()
  }
}

function transmit(world: World, webhook: { id: string; url: string }, event: object) {
  const body = write(world, event)
  const id = `${world.newId('t')}-0000-11ee-8000-transmission`
  const time = timeText(world.now())
  const signature = sign('sha256', signedText(id, time, webhook.id, body), keys().privateKey)
  return {
    url: webhook.url,
    body,
    headers: {
      'content-type': 'application/json',
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': signature.toString('base64'),
      'paypal-cert-url': `${world.origin()}${CERT_PATH}`,
      'paypal-auth-algo': ALGORITHM,
    },
  }
}

/** `verify-webhook-signature`. It also checks that the webhook belongs to this account. */
export function verifyTransmission({ world, account, json: body, text }: AccountRequest): Reply {
  const { transmission_id, transmission_time, transmission_sig, cert_url, auth_algo, webhook_id } = body ?? {}
  const given = [transmission_id, transmission_time, transmission_sig, cert_url, auth_algo, webhook_id]
  if (!given.every((each) => typeof each === 'string')) return refuse(400, 'MISSING_REQUIRED_PARAMETER')
  const [id = '', time = '', signature = '', certUrl = '', algorithm = '', webhookId = ''] = given as string[]
  const event = /"webhook_event"\s*:(.*)\}$/s.exec(text)?.[1] ?? ''
  const isOurs =
    account.webhooks.has(webhookId) &&
    certUrl === `${world.origin()}${CERT_PATH}` &&
    algorithm === ALGORITHM &&
    verify(
      'sha256',
      signedText(id, time, webhookId, event),
      keys().publicKey,
      Buffer.from(signature, 'base64'),
    )
  return json(200, { verification_status: isOurs ? 'SUCCESS' : 'FAILURE' })
}

export function showWebhook({ account }: AccountRequest, id: string): Reply {
  const webhook = account.webhooks.get(id)
  if (!webhook) return refuse(404, 'INVALID_RESOURCE_ID')
  const event_types = webhook.events.map((name) => ({ name, description: name }))
  return json(200, { id, url: webhook.url, event_types, links: [] })
}
