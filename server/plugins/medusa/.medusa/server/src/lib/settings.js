/** The three settings, and the checks that they pass before the shop starts. */
const { MedusaError } = require('@medusajs/framework/utils')
const { openKassa, signEvent } = require('kassa-client')

const wrong = (why) =>
  new MedusaError(MedusaError.Types.INVALID_DATA, `The settings of Kassa are wrong. ${why}`)
exports.wrong = wrong

const secretsOf = ({ webhookSecret = '' }) =>
  String(webhookSecret ?? '')
    .split(/\s+/)
    .filter((secret) => secret !== '')
exports.secretsOf = secretsOf

/** A secret that is too short or cut off signs nothing in the format of Standard Webhooks. */
const isWhole = (secret) =>
  secret.startsWith('whsec_') &&
  signEvent({ id: 'evt_check' }, { secrets: secret }).headers['webhook-signature'] !== ''

/**
 * @param {Partial<import('../../../../index').KassaOptions>} [options]
 * @throws MedusaError for settings that cannot be right
 */
exports.openChecked = (options = {}) => {
  const secrets = secretsOf(options)
  if (secrets.length === 0 || !secrets.every(isWhole))
    throw wrong('`webhookSecret` is whsec_ and at least 16 bytes in base64. Copy it whole.')
  try {
    // An administrator waits for it, so it does not wait long.
    const { url = '', token = '' } = options
    return openKassa({ url, token, timeoutSeconds: 15 })
  } catch (error) {
    throw wrong(error.message)
  }
}

const REFUSED = [401, 403]

/** Asks Kassa whether it knows the token. A Kassa that does not answer now is no reason not to start. */
exports.checkToken = async (options) => {
  const answer = await exports.openChecked(options).capabilities()
  if (!answer.ok && REFUSED.includes(answer.error.status))
    throw wrong(`\`token\`: ${answer.error.message} ${answer.error.whatToDo}`)
}
