/** The codes of an authenticator app (RFC 6238): six digits for each 30 seconds. */
import { Secret, TOTP } from 'otpauth'

const STEP_MS = 30_000
/** A code is accepted in its own step, in the step before and in the step after. */
const WINDOW = 1
/** How far a clock may be off and still be recognised. Such a code is still refused. */
const FAR_STEPS = 60
const SECRET_BYTES = 20

/** `offMinutes`: how far the app's clock is ahead. `step`: of the code. */
export type CodeVerdict =
  | { kind: 'right'; step: number }
  | { kind: 'used' }
  | { kind: 'clock'; offMinutes: number; step: number }
  | { kind: 'wrong' }

export type SpentCodes = { usedStep: number; burntSteps: readonly number[] }

const totp = (secret: string) =>
  new TOTP({
    issuer: 'Kassa',
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: STEP_MS / 1_000,
  })

/** Returns the secret in base 32. */
export function secretFrom(bytes: Buffer): string {
  return new Secret({ buffer: new Uint8Array(bytes.subarray(0, SECRET_BYTES)).buffer }).base32
}

/** The address that an authenticator app opens. */
export function otpAddress(secret: string, label: string): string {
  return new TOTP({ issuer: 'Kassa', label, secret: Secret.fromBase32(secret) }).toString()
}

export function codeAt(secret: string, at: Date): string {
  return totp(secret).generate({ timestamp: at.getTime() })
}

/**
 * No code counts twice. A code that belongs to another time within half an hour shows that a clock is wrong. Somebody who guesses would
 * learn a code of later from that, so its step must be burnt.
 */
export function judgeCode(secret: string, typed: string, now: Date, spent: SpentCodes): CodeVerdict {
  const token = typed.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return { kind: 'wrong' }
  const found = totp(secret).validate({ token, timestamp: now.getTime(), window: FAR_STEPS })
  const near = totp(secret).validate({ token, timestamp: now.getTime(), window: WINDOW })
  const delta = near ?? found
  if (delta === null) return { kind: 'wrong' }
  const step = Math.floor(now.getTime() / STEP_MS) + delta
  if (spent.burntSteps.includes(step)) return { kind: 'wrong' }
  if (near === null) return { kind: 'clock', offMinutes: Math.round((delta * STEP_MS) / 60_000), step }
  return step > spent.usedStep ? { kind: 'right', step } : { kind: 'used' }
}
