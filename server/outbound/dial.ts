/**
 * Connects to one of the checked addresses of a host, as RFC 8305 describes: the addresses are tried in turn, and the next attempt
 * starts while the one before is still waiting. The first connection that is ready is used.
 * Rule: only addresses that were checked for this request are connected to. No name is resolved here.
 */
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectSecure, type SecureContextOptions } from 'node:tls'
import type { Address } from './address.ts'
import type { Unreachable } from './unreachable.ts'

/** RFC 8305 recommends this delay between the starts of two attempts. */
export const ATTEMPT_DELAY_MS = 250
/** Enough for any honest host, so that one request cannot make this service knock at any number of doors. */
const ATTEMPTS_MAX = 10
/** A handshake takes several round trips. An address that accepts connections gets this many times the delay for it. */
const HANDSHAKE_DELAYS = 4
/** These errors come from this machine or from the network, so another error says more about the server. */
const NO_WAY = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

export type Target = {
  /** Host and port as in the URL. */
  host: string
  port: number
  /** Null for plain http. `servername`: the name that the certificate must have, or empty if it must have the address. */
  tls: (SecureContextOptions & { servername: string }) | null
}

/** Starts a connection to exactly this address. */
export type Connect = (address: Address, target: Target) => Socket

export type Dialing = { connect: Connect; attemptDelayMs: number; unreachable: Unreachable }

export const connectToAddress: Connect = ({ address }, { port, tls }) =>
  tls
    ? connectSecure({ ...tls, host: address, port, ALPNProtocols: ['http/1.1'] })
    : connectPlain({ host: address, port })

/**
 * Returns a connection on which nothing has been written yet. A TLS connection has been verified.
 * @throws Error if no address could be connected to, or the reason of `signal`
 */
export function dial(
  { connect, attemptDelayMs, unreachable }: Dialing,
  addresses: readonly Address[],
  target: Target,
  signal: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const waiting = unreachable.last(target.host, alternate(addresses)).slice(0, ATTEMPTS_MAX)
  const started = new Map<Address, Socket>()
  const failures: Error[] = []
  let timer: NodeJS.Timeout | undefined

  function end(winner?: Socket): void {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    for (const socket of started.values()) if (socket !== winner) socket.destroy()
  }
  function fail(reason: unknown): void {
    for (const address of started.keys()) unreachable.add(target.host, address)
    end()
    reject(reason)
  }
  const abort = () => fail(signal.reason)
  function startNext(): void {
    const address = waiting.shift()
    // A client certificate that cannot be read throws here.
    if (address) attempt(() => start(address), fail)
    else if (failures.length === started.size) fail(combine(failures))
  }
  function startNextIn(delayMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(startNext, delayMs)
  }
  function start(address: Address): void {
    const socket = connect(address, target)
    started.set(address, socket)
    startNextIn(attemptDelayMs)
    watch(socket, target, {
      accepted: () => startNextIn(attemptDelayMs * HANDSHAKE_DELAYS),
      ready() {
        unreachable.noteReached(target.host, address, [...started.keys()])
        end(socket)
        resolve(socket)
      },
      failed(error) {
        failures.push(error)
        clearTimeout(timer)
        startNext()
      },
    })
  }

  if (signal.aborted) return Promise.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  startNext()
  return promise
}

function attempt(run: () => void, fail: (error: unknown) => void): void {
  try {
    run()
  } catch (error) {
    fail(error)
  }
}

type DialOutcome = { accepted(): void; ready(): void; failed(error: Error): void }

/** `accepted`: the address accepts connections. `ready`: the request can be written. One of `ready` and `failed` is called. */
function watch(socket: Socket, { tls }: Target, { accepted, ready, failed }: DialOutcome): void {
  // Without a listener, an error of a socket that is not needed any more would end the process.
  socket.on('error', () => {})
  socket.once('error', failed)
  socket.once('connect', accepted)
  socket.once(tls ? 'secureConnect' : 'connect', () => {
    socket.off('error', failed)
    ready()
  })
}

/** Takes the families in turn, IPv4 first: providers and shops often allow only the IPv4 addresses of their callers. */
function alternate(addresses: readonly Address[]): Address[] {
  const fourth = addresses.filter(({ family }) => family === 4)
  const sixth = addresses.filter(({ family }) => family !== 4)
  const length = Math.max(fourth.length, sixth.length)
  return Array.from({ length }, (_, at) => [fourth[at], sixth[at]])
    .flat()
    .filter((address) => address !== undefined)
}

/** Returns the error that says most about the server, with the messages of the others behind it. */
function combine(failures: Error[]): Error {
  const [first = new Error('the host has no address')] = failures
  const telling = failures.find((error) => !NO_WAY.has((error as NodeJS.ErrnoException).code ?? '')) ?? first
  const messages = new Set([telling, ...failures].map(({ message }) => message))
  telling.message = [...messages].join('; ')
  return telling
}
