/** The three settings of a payment method: opened as a client, and checked before they are stored. */
import { openKassa, signEvent } from 'kassa-client'
import { say } from './texts.mjs'

export const HANDLER_CODE = 'kassa'

/** Returns the settings of a payment method. `args`: a list of names and values, as Vendure stores them. */
export function settingsOf({ handler }) {
  const given = Object.fromEntries(handler.args.map(({ name, value }) => [name, value]))
  return { url: given.url, token: given.token, secrets: secretsOf(given) }
}

const secretsOf = ({ webhookSecret = '' }) => webhookSecret.split(/\s+/).filter((secret) => secret !== '')

export const usesKassa = (method) => method.handler.code === HANDLER_CODE

/** An administrator waits for it, so it does not wait long. */
export const clientOf = (method, options = {}) => {
  const { url, token } = settingsOf(method)
  return openKassa({ url, token, timeoutSeconds: 15, ...options })
}

/** Returns why Kassa would refuse these settings, in the reader's language, or null. */
export async function findFault(method, languageCode) {
  const { secrets } = settingsOf(method)
  // A secret that is too short or cut off signs nothing in the format of Standard Webhooks.
  const isWhole = (secret) =>
    secret.startsWith('whsec_') &&
    signEvent({ id: 'evt_check' }, { secrets: secret }).headers['webhook-signature'] !== ''
  if (secrets.length === 0 || !secrets.every(isWhole)) return say(languageCode, 'wrongSecret')
  try {
    const answer = await clientOf(method, { tries: 1 }).capabilities()
    if (answer.ok) return null
    return say(languageCode, 'wrongSettings', { why: `${answer.error.message} ${answer.error.whatToDo}` })
  } catch (error) {
    return say(languageCode, 'wrongSettings', { why: error.message })
  }
}
