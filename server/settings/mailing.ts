/** The settings of the mail that buyers get. */
import { z } from 'zod'
import { MAILBOX } from '../contract/formats.ts'
import { notation, type Setting } from './setting.ts'

/** `isEncrypted`: TLS from the first byte; otherwise the connection is upgraded by STARTTLS. */
export type SmtpServer = {
  host: string
  port: number
  isEncrypted: boolean
  /** Only a server on this machine may be talked to without TLS. */
  isLoopback: boolean
  login?: { user: string; pass: string }
}

const TAKES =
  'an smtp:// or smtps:// address, such as smtp://user:password@mail.example:587, with each special character of the password written as a percent code'
const PORTS = { 'smtp:': 587, 'smtps:': 465 }
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i

function parseServer(text: string): SmtpServer {
  const refuse = (why: string) => new RangeError(`must be ${why}`)
  if (!URL.canParse(text)) throw refuse(TAKES)
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw refuse(TAKES)
  if (hostname === '' || !/^[\w.:[\]-]+$/.test(hostname)) throw refuse(TAKES)
  if (!['', '/'].includes(pathname) || search !== '' || hash !== '')
    throw refuse('an address that ends with the host and its port')
  if ((username === '') !== (password === ''))
    throw refuse('an address with both a user and a password, or without both')
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? PORTS[protocol] : Number(port),
    isEncrypted: protocol === 'smtps:',
    isLoopback: LOOPBACK.test(hostname),
    ...(username !== '' && { login: { user: decoded(username), pass: decoded(password) } }),
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new RangeError(`must be ${TAKES}`)
  }
}

const FROM_TAKES = 'an e-mail address, such as receipts@pay.example'

export const MAILING = {
  smtpServer: {
    ...notation(TAKES, parseServer),
    name: 'SMTP_URL',
    group: 'mail',
    unset: 'no mail is sent',
    secret: true,
    needs: 'MAIL_FROM',
    about:
      'The mail server that sends receipts to buyers. `smtps://` is encrypted from the start (port 465), `smtp://` by STARTTLS (port 587). Without encryption nothing is sent, except to a server on this machine.',
  },
  mailFrom: {
    takes: FROM_TAKES,
    schema: z.email({ pattern: MAILBOX, error: `must be ${FROM_TAKES}` }).max(160, `must be ${FROM_TAKES}`),
    name: 'MAIL_FROM',
    group: 'mail',
    companion: 'SMTP_URL',
    about:
      "The sender's address of mails to buyers. The shop's name stands before it, and answers go to the shop's own address if it has one.",
  },
} as const satisfies Record<string, Setting>
