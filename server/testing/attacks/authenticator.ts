/** A passkey in software: what a phone would answer, and what somebody else might send in its place. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

const [PRESENT, VERIFIED, WITH_KEY] = [0x01, 0x04, 0x40]
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const base64url = (data: string | Buffer) => Buffer.from(data).toString('base64url')

/** `isVerified`: false for a phone that did not look who holds it. */
type Challenge = { challenge: string; origin: string; isVerified?: boolean }

export function createAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0

  /** What the browser has seen. It is signed, so the page's own origin is in it. */
  const clientData = (type: string, { challenge, origin }: Challenge) =>
    JSON.stringify({ type, challenge, origin, crossOrigin: false })
  const authenticatorData = (
    { origin, isVerified = true }: Challenge,
    flags: number,
    rest = Buffer.alloc(0),
  ) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    const all = flags | PRESENT | (isVerified ? VERIFIED : 0)
    return Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([all]), count, rest])
  }

  return {
    id: base64url(id),
    create(request: Challenge) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const point = (label: number, value: string) =>
        Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')])
      const key = Buffer.concat([Buffer.from('a5010203262001', 'hex'), point(0x21, x), point(0x22, y)])
      const data = authenticatorData(
        request,
        WITH_KEY,
        Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]),
      )
      const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)])
      const attestation = Buffer.concat([
        ...[Buffer.from([0xa3]), text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])],
        ...[text('authData'), Buffer.from([0x58, data.length]), data],
      ])
      return this.wrap({
        clientDataJSON: base64url(clientData('webauthn.create', request)),
        attestationObject: base64url(attestation),
        transports: ['internal'],
      })
    },
    get(request: Challenge) {
      const seen = clientData('webauthn.get', request)
      const data = authenticatorData(request, 0)
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(seen)]))
        .sign(privateKey)
      return this.wrap({
        clientDataJSON: base64url(seen),
        authenticatorData: base64url(data),
        signature: base64url(signature),
      })
    },
    wrap(response: object) {
      const ownId = base64url(id)
      return { id: ownId, rawId: ownId, type: 'public-key', clientExtensionResults: {}, response }
    },
  }
}
