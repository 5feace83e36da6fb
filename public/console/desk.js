/** The console works without this script. With it, people can sign in with a passkey. */
