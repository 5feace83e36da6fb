/**
 * The secrets that a person has typed, between the form and its second press. They go through the page only sealed, for this person
 * and this act, so that no page, history or cache has them.
 */
import type { FormAct, Given, Scene } from './act.ts'
import type { Field } from './fields.ts'

const placeOf = ({ visit, ctx, about }: Scene, { name }: FormAct) =>
  [ctx.world, visit.user.id, `form ${name} ${about}`] as const

/** Returns the hidden field; nothing if no secret is asked. */
export function keepSecrets(
  scene: Scene,
  act: FormAct,
  fields: readonly Field[],
  given: Given,
): { kept?: string } {
  const names = fields.filter(({ kind }) => kind === 'secret').map(({ name }) => name)
  if (names.length === 0) return {}
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, given[name] ?? ''])))
  const { keyId, sealed } = scene.ctx.vault.seal(text, placeOf(scene, act))
  return { kept: `${keyId}.${sealed.toString('base64url')}` }
}

/** Returns nothing for a text that was not sealed for this person and act. Then the secrets are typed once more. */
export function openKept(scene: Scene, act: FormAct, kept = ''): Given {
  const [keyId = '', sealed = ''] = kept.split('.')
  try {
    const place = placeOf(scene, act)
    return JSON.parse(scene.ctx.vault.open({ keyId, sealed: Buffer.from(sealed, 'base64url') }, place))
  } catch {
    return {}
  }
}
