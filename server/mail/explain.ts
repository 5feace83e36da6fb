/**
 * Says in plain words what went wrong with the mail server.
 * Rule: the words hold no e-mail address and no password. A server repeats addresses in its answers, and the words are logged.
 */
import type { Context } from '../context.ts'

/** `code`: the server's answer, or null where it gave none. `isFinal`: this message will never be taken. */
export type Trouble = { message: string; code: number | null; isFinal: boolean }

type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string }

const ANSWER_MAX_CHARS = 200

export function explainFailure(
  error: unknown,
  { host, port, isEncrypted, login }: NonNullable<Context['config']['smtpServer']>,
): Trouble {
  const { code = '', command = '', responseCode, response } = (error ?? {}) as SmtpError
  const answer = response ? ` It said: ${harmless(response)}` : ''
  const at = `${host}:${port}`
  const told = { code: responseCode ?? null, isFinal: false }
  // Only an answer about the recipient or the message is about this mail. All others are about the way to the server.
  const isAboutMail = command === 'RCPT TO' || command === 'DATA'
  if (isAboutMail && responseCode !== undefined && responseCode >= 500)
    return {
      ...told,
      isFinal: true,
      message: `The mail server refused ${command === 'DATA' ? 'the message' : 'the address'} for good.${answer}`,
    }
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return {
      ...told,
      message: login
        ? `The mail server ${at} refused the user or the password of SMTP_URL.${answer}`
        : `The mail server ${at} wants a user and a password, and SMTP_URL has none.${answer}`,
    }
  if (code === 'ETLS' || isCertificate(error))
    return {
      ...told,
      message: `No encrypted connection to the mail server ${at} could be made: ${harmless((error as Error).message)}. ${
        isEncrypted
          ? 'Check whether this port speaks TLS from the start.'
          : 'Check its certificate, and whether it offers STARTTLS.'
      }`,
    }
  if (code === 'EDNS')
    return { ...told, message: `The mail server's name ${host} was not found. Check SMTP_URL.` }
  if (responseCode !== undefined)
    return {
      ...told,
      message: `The mail server ${at} ${responseCode >= 500 ? 'refused' : 'put us off'} (${command || 'greeting'}).${answer}`,
    }
  if (code === 'ETIMEDOUT')
    return { ...told, message: `The mail server ${at} did not answer in time (${command || 'connecting'}).` }
  if (code === 'EABORT')
    return {
      ...told,
      message: `The conversation with the mail server ${at} was ended: ${harmless((error as Error).message)}.`,
    }
  const why = error instanceof Error ? harmless(error.message) : 'unknown fault'
  return { ...told, message: `The mail server ${at} could not be reached, or it hung up: ${why}.` }
}

function isCertificate(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as SmtpError
  return (
    /CERT|SELF.SIGNED|UNABLE.TO|ERR.TLS|ERR.SSL/.test(code) ||
    /certificate|altname|wrong version number/i.test(message)
  )
}

/** In one line, without addresses, and short. */
function harmless(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/<?[^\s<>@]+@[^\s<>@]+>?/g, '(address)')
    .trim()
    .slice(0, ANSWER_MAX_CHARS)
    .replace(/[.:]$/, '')
}
