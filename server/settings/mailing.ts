/** The settings of the mail that buyers get. */
import { z } from 'zod'
import { MAILBOX } from '../contract/formats.ts'
import { notation, type Setting } from './setting.ts'

/** `isEncrypted`: TLS from the first byte. Otherwise STARTTLS upgrades the connection. */
export type SmtpServer = {
  host: string
  port: number
  isEncrypted: boolean
  /** Only a connection to a server on this machine may be without TLS. */
  isLoopback: boolean
  login?: { user: string; pass: string }
}

const EXPECTED =
  'an smtp:// or smtps:// address, such as smtp://user:password@mail.example:587, with each special character of the password written as a percent code'
const PORTS = { 'smtp:': 587, 'smtps:': 465 }
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i

function parseServer(text: string): SmtpServer {
  const mustBe = (why: string) => new RangeError(`must be ${why}`)
  if (!URL.canParse(text)) throw mustBe(EXPECTED)
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw mustBe(EXPECTED)
  if (hostname === '' || !/^[\w.:[\]-]+$/.test(hostname)) throw mustBe(EXPECTED)
  if (!['', '/'].includes(pathname) || search !== '' || hash !== '')
    throw mustBe('an address that ends with the host and its port')
  if ((username === '') !== (password === ''))
    throw mustBe('an address with both a user and a password, or without both')
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
    throw new RangeError(`must be ${EXPECTED}`)
  }
}

const OPERATOR_EXPECTED = 'an e-mail address, such as operator@pay.example'

const LOCALE_EXPECTED = 'hy, ru or en'

const FROM_EXPECTED = 'an e-mail address, such as receipts@pay.example'

export const MAILING = {
  smtpServer: {
    ...notation(EXPECTED, parseServer),
    name: 'SMTP_URL',
    group: 'mail',
    unset: 'no mail is sent',
    secret: true,
    needs: 'MAIL_FROM',
    about:
      'The mail server that sends receipts to buyers and notices to the operator. `smtps://` uses TLS from the start (port 465), `smtp://` uses STARTTLS (port 587). Only a server on this machine may be used without encryption.',
  },
  mailFrom: {
    takes: FROM_EXPECTED,
    schema: z
      .email({ pattern: MAILBOX, error: `must be ${FROM_EXPECTED}` })
      .max(160, `must be ${FROM_EXPECTED}`),
    name: 'MAIL_FROM',
    group: 'mail',
    companion: 'SMTP_URL',
    about:
      "The sender's address of mails to buyers. The sender's name is the shop's name. Replies go to the shop's own address if it has one.",
  },
  operatorEmail: {
    takes: OPERATOR_EXPECTED,
    schema: z
      .email({ pattern: MAILBOX, error: `must be ${OPERATOR_EXPECTED}` })
      .max(160, `must be ${OPERATOR_EXPECTED}`),
    name: 'OPERATOR_EMAIL',
    group: 'mail',
    companion: 'SMTP_URL',
    unset: 'no notices are sent',
    about:
      'The address of whoever runs the service. It gets a mail when a provider account cannot be used any more, when it can again, and about new cases on the desk.',
  },
  operatorLocale: {
    takes: LOCALE_EXPECTED,
    schema: z.enum(['hy', 'ru', 'en'], { error: `must be ${LOCALE_EXPECTED}` }),
    name: 'OPERATOR_LOCALE',
    group: 'mail',
    companion: 'OPERATOR_EMAIL',
    default: 'en',
    about:
      'The language of the mails about new cases on the desk: Armenian, Russian or English. Mails about provider accounts and the audit log are in English.',
  },
} as const satisfies Record<string, Setting>
