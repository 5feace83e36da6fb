/**
 * Explains in plain words why the mail server did not accept a mail.
 * Rule: the message contains no e-mail address and no password, because it is logged. Mail servers repeat addresses in their replies.
 */
import type { Context } from '../context.ts'

/** `code`: the server's reply code, or null if it sent no reply. `isFinal`: the server will never accept this mail. */
export type Trouble = { message: string; code: number | null; isFinal: boolean }

type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string }

const REPLY_MAX_CHARS = 200

export function explainFailure(
  error: unknown,
  { host, port, isEncrypted, login }: NonNullable<Context['config']['smtpServer']>,
): Trouble {
  const { code = '', command = '', responseCode, response } = (error ?? {}) as SmtpError
  const reply = response ? ` Its reply: ${redacted(response)}` : ''
  const at = `${host}:${port}`
  const trouble = { code: responseCode ?? null, isFinal: false }
  // Only replies to these two commands concern this mail. All others concern the connection or the login.
  const isAboutMail = command === 'RCPT TO' || command === 'DATA'
  if (isAboutMail && responseCode !== undefined && responseCode >= 500)
    return {
      ...trouble,
      isFinal: true,
      message: `The mail server rejected ${command === 'DATA' ? 'the message' : 'the address'} permanently.${reply}`,
    }
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return {
      ...trouble,
      message: login
        ? `The mail server ${at} rejected the user or the password in SMTP_URL.${reply}`
        : `The mail server ${at} requires a user and a password, but SMTP_URL has none.${reply}`,
    }
  if (code === 'ETLS' || isCertificate(error))
    return {
      ...trouble,
      message: `The encrypted connection to the mail server ${at} failed: ${redacted((error as Error).message)}. ${
        isEncrypted
          ? 'Check whether this port uses TLS from the start.'
          : 'Check its certificate, and whether it offers STARTTLS.'
      }`,
    }
  if (code === 'EDNS')
    return {
      ...trouble,
      message: `The host name of the mail server, ${host}, was not found. Check SMTP_URL.`,
    }
  if (responseCode !== undefined)
    return {
      ...trouble,
      message: `The mail server ${at} ${responseCode >= 500 ? 'rejected the request' : 'asked to try again later'} (${command || 'greeting'}).${reply}`,
    }
  if (code === 'ETIMEDOUT')
    return {
      ...trouble,
      message: `The mail server ${at} did not reply in time (${command || 'connecting'}).`,
    }
  if (code === 'EABORT')
    return {
      ...trouble,
      message: `The session with the mail server ${at} was aborted: ${redacted((error as Error).message)}.`,
    }
  const why = error instanceof Error ? redacted(error.message) : 'unknown error'
  return {
    ...trouble,
    message: `The mail server ${at} could not be reached, or it closed the connection: ${why}.`,
  }
}

function isCertificate(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as SmtpError
  return (
    /CERT|SELF.SIGNED|UNABLE.TO|ERR.TLS|ERR.SSL/.test(code) ||
    /certificate|altname|wrong version number/i.test(message)
  )
}

/** Returns the text in one line, shortened and without e-mail addresses. */
function redacted(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/<?[^\s<>@]+@[^\s<>@]+>?/g, '(address)')
    .trim()
    .slice(0, REPLY_MAX_CHARS)
    .replace(/[.:]$/, '')
}
