/** A shop on a Kassa with a console, and the people who sign in to it. */
import { SHOP_ROLES } from '../../access/roles.ts'
import type { UserRole } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { type Desk, openAs, startDesk, type TestBrowser, withPasskey } from '../console.ts'
import type { Shop } from '../harness.ts'
import { closeAfter, newName, openScene, type Scene } from '../scene.ts'

export type ConsoleScene = Scene & { desk: Desk } & People
type People = ReturnType<typeof peopleOf>

/** Starts a Kassa with one shop and its console. */
export async function openConsole(...given: Parameters<typeof openScene>): Promise<ConsoleScene> {
  const scene = await openScene(...given)
  const desk = closeAfter(await startDesk(scene.kassa.worlds))
  return { ...scene, desk, ...peopleOf(scene.kassa.ctx, desk, scene.shop) }
}

/** What a test sets of a new person. By default a person has a new address, and people of a shop are this shop's. */
type PersonValues = Omit<Parameters<typeof openAs>[2], 'role'>

function peopleOf(ctx: Context, desk: Desk, { merchantId }: Shop) {
  /** Adds a person, and signs this person in. */
  const signInAs = (role: UserRole, values: PersonValues = {}) =>
    openAs(ctx, desk, {
      role,
      email: `${newName()}@pay.example`,
      merchantId: SHOP_ROLES.includes(role) ? merchantId : null,
      ...values,
    })

  return {
    signInAs,

    /** The same. Returns the browser alone. */
    signIn: async (role: UserRole, values: PersonValues = {}): Promise<TestBrowser> =>
      (await signInAs(role, values)).browser,

    /** The browser shows the person's passkey whenever a form asks for it. */
    signInWithPasskey: async (role: UserRole, values: PersonValues = {}): Promise<TestBrowser> =>
      withPasskey(ctx, desk, await signInAs(role, values)),
  }
}
