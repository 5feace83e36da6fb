/**
 * Passkeys: what a browser is asked, and whether its answer is right. A passkey checks the person itself (a finger, a face or a PIN),
 * so it is both factors. The library is loaded at the first use, because it takes 27 MB.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { PasskeyRecord } from '../storage/access/credentials.ts'
import type { UserRecord } from '../storage/access/users.ts'

const library = () => import('@simplewebauthn/server')
/** What a person has to answer, in milliseconds. The browser shows it as a wish. */
export const ANSWER_WITHIN_MS = 5 * 60_000

/** Ed25519, ECDSA with P-256, and RSA: what today's devices sign with. */
const ALGORITHMS = [-8, -7, -257]

export const hostOf = (origin: string): string => new URL(origin).hostname

/** Browsers have passkeys only on https pages and on localhost. */
export function hasPasskeys(origin: string): boolean {
  return origin.startsWith('https:') || hostOf(origin) === 'localhost'
}

/** The passkeys that the person has already. A device with one of them does not make a second one. */
type PasskeyChallenge = { challenge: string; allowed: readonly string[] }

const bytesOf = (challenge: string) => new Uint8Array(Buffer.from(challenge, 'base64url'))

/** Returns what `navigator.credentials.create` gets, and the challenge in it. `known`: its challenge is in base64url. */
export async function offerPasskey(user: UserRecord, origin: string, known?: PasskeyChallenge) {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Kassa',
    rpID: hostOf(origin),
    userID: new Uint8Array(Buffer.from(user.id)),
    userName: user.email,
    userDisplayName: user.name,
    timeout: ANSWER_WITHIN_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    ...(known && {
      challenge: bytesOf(known.challenge),
      excludeCredentials: known.allowed.map((id) => ({ id })),
    }),
  })
}

/** Returns the new passkey; null if the answer is not right for this challenge and origin. */
export async function readNewPasskey(
  operatorId: string,
  answer: unknown,
  { challenge, origin }: { challenge: string; origin: string },
): Promise<PasskeyRecord | null> {
  const { verifyRegistrationResponse } = await library()
  const verified = await verifyRegistrationResponse({
    response: answer as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: hostOf(origin),
    supportedAlgorithmIDs: ALGORITHMS,
    requireUserVerification: true,
  }).catch(() => null)
  if (!verified?.verified) return null
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential
  return { id, operatorId, publicKey: Buffer.from(publicKey), counter, host: hostOf(origin), transports }
}

/**
 * Returns what `navigator.credentials.get` gets. For signing in it names no passkey, so it says nothing of who has one. `challenge`:
 * in base64url, for somebody who is signed in.
 */
export async function askForPasskey(origin: string, known?: PasskeyChallenge) {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: hostOf(origin),
    userVerification: 'required',
    timeout: ANSWER_WITHIN_MS,
    ...(known && {
      challenge: bytesOf(known.challenge),
      allowCredentials: known.allowed.map((id) => ({ id })),
    }),
  })
}

/** Returns the passkey's new counter; null if the answer is not right for this challenge, origin and passkey. */
export async function checkPasskey(
  { id, publicKey, counter }: PasskeyRecord,
  answer: unknown,
  { challenge, origin }: { challenge: string; origin: string },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library()
  const verified = await verifyAuthenticationResponse({
    response: answer as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: hostOf(origin),
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
    requireUserVerification: true,
  }).catch(() => null)
  return verified?.verified ? verified.authenticationInfo.newCounter : null
}
