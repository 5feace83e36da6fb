/** A real mail server for tests, on this machine, with common faults of mail servers. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

/**
 * `greet_never`: it accepts the connection and sends nothing. `busy`: it rejects the recipient for now. `unknown`: it rejects
 * the recipient for good. `hang_after_data`, `die_after_data`: it stores the message, and then never responds or closes the
 * connection.
 */
export type MailFault = 'greet_never' | 'busy' | 'unknown' | 'hang_after_data' | 'die_after_data'
/** `raw`: the whole message. */
export type Arrived = {
  from: string
  to: string[]
  raw: string
  isEncrypted: boolean
  user: string | undefined
}

export type MailServer = {
  url: string
  port: number
  /** Every message that it has stored, in order. */
  arrived: Arrived[]
  /** The faults of the next conversations, one each. */
  faults: MailFault[]
  /** Called when a message is stored. The server waits for it before it responds. */
  onKept: (() => Promise<void> | undefined) | null
  connections(): number
  close(): Promise<void>
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const inbox: Inbox = { arrived: [], faults: [], onKept: null, connected: 0 }
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key ? [] : ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    closeTimeout: 10,
    logger: false,
    onAuth: ({ username, password }, _session, callback) =>
      password === 'right'
        ? callback(null, { user: username ?? '' })
        : callback(new Error('Wrong password for ani@example.com')),
    ...conversationsOf(inbox, (id) => {
      for (const connection of server.connections)
        if (connection.session.id === id) connection._socket.destroy()
    }),
    ...options,
  })
  // A client that closes the connection is not a failure of the test.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return Object.assign(inbox, {
    url: `smtp://127.0.0.1:${port}`,
    port,
    connections: () => inbox.connected,
    close: () => new Promise<void>((done) => server.close(() => done())),
  })
}

type Inbox = Pick<MailServer, 'arrived' | 'faults' | 'onKept'> & { connected: number }

/** Handles conversations, each with its fault, and stores their messages. `cut` closes the connection of a session. */
function conversationsOf(
  inbox: Inbox,
  cut: (sessionId: string) => void,
): Pick<SMTPServerOptions, 'onConnect' | 'onRcptTo' | 'onData'> {
  const faultOf = new Map<string, MailFault>()
  return {
    onConnect(session, callback) {
      inbox.connected++
      const fault = inbox.faults.shift()
      if (fault) faultOf.set(session.id, fault)
      if (fault !== 'greet_never') callback()
    },
    onRcptTo({ address }, session, callback) {
      const fault = faultOf.get(session.id)
      if (fault === 'busy') return callback(refusal(451, `<${address}>: greylisted, come again`))
      if (fault === 'unknown') return callback(refusal(550, `<${address}>: no such user`))
      callback()
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        inbox.arrived.push(messageOf(session, Buffer.concat(chunks).toString()))
        await inbox.onKept?.()
        const fault = faultOf.get(session.id)
        if (fault === 'die_after_data') cut(session.id)
        else if (fault !== 'hang_after_data') callback()
      })
    },
  }
}

function messageOf({ envelope, secure, user }: SMTPServerSession, raw: string): Arrived {
  const { mailFrom, rcptTo } = envelope
  return {
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(({ address }) => address),
    raw,
    isEncrypted: secure === true,
    user: typeof user === 'string' ? user : undefined,
  }
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

/** Returns the headers of a message, unfolded, by their names in lower case. */
export function headersOf({ raw }: Pick<Arrived, 'raw'>): Record<string, string> {
  const lines = (raw.split('\r\n\r\n')[0] ?? '').replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
}

/** Returns the decoded text and HTML of a message. */
export function partsOf({ raw }: Pick<Arrived, 'raw'>): { text: string; html: string } {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? ''
  const part = (type: string) => {
    const found = raw.split(`--${boundary}`).find((each) => each.includes(`Content-Type: ${type}`)) ?? ''
    const cut = found.indexOf('\r\n\r\n')
    const [head, body] = [found.slice(0, cut), found.slice(cut + 4)]
    if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
    return /quoted-printable/i.test(head) ? unquoted(body) : body
  }
  return { text: part('text/plain'), html: part('text/html') }
}

function unquoted(text: string): string {
  const bytes = text
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** Returns a header's text, decoded from its words (RFC 2047). */
export function decodedHeader(text = ''): string {
  const joined = text.replaceAll(/\?=\s+=\?/g, '?==?')
  return joined.replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, part: string) =>
    kind.toUpperCase() === 'B' ? Buffer.from(part, 'base64').toString() : unquoted(part.replaceAll('_', ' ')),
  )
}
