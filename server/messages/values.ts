/** Written by `npm run generate -- messages` from the English catalogues: what each message needs. */
type None = Record<never, never>

export type MessageValues = {
  'acts.token.none': None
  'acts.token.tokenId': None
  'acts.token.token': None
  'acts.token.merchantId': None
  'acts.token.scopes': None
  'acts.token.scopes.hint': None
  'acts.token.overlap': None
  'acts.token.refundLimits': None
  'acts.token.refundLimits.hint': None
  'acts.token.refundLimits.none': None
  'acts.token.refundLimitsDay': None
  'acts.token.refundLimitsDay.hint': None
  'acts.token.refundLimitsDay.none': None
  'acts.token-issue': None
  'acts.token-issue.lead': None
  'acts.token-rotate': None
  'acts.token-rotate.lead': None
  'acts.token-set': None
  'acts.token-set.lead': None
  'acts.token-revoke': None
  'acts.token-revoke.lead': None
  'acts.token-leaked': None
  'acts.token-leaked.lead': None
  'acts.token-leaked.done': None
  'acts.token-leaked.token.hint': None
  'acts.merchant-rename': None
  'acts.merchant-rename.lead': None
  'acts.merchant.name': None
  'acts.callback.none': None
  'acts.callback.overlap': None
  'acts.callback.webhookSecret': None
  'acts.callback-rotate-secret': None
  'acts.callback-rotate-secret.lead': None
  'acts.callback-end-secret': None
  'acts.callback-end-secret.lead': None
  'acts.origin.none': None
  'acts.origin.origin': None
  'acts.origin-add.origin.hint': None
  'acts.origin-add': None
  'acts.origin-add.lead': None
  'acts.origin-remove': None
  'acts.origin-remove.lead': None
  'acts.origin-disapprove': None
  'acts.origin-disapprove.lead': None
  'acts.installation.none': None
  'acts.installation.installation': None
  'acts.installation.publicKey': None
  'acts.installation.installationId': None
  'acts.installation.origin': None
  'acts.installation.origin.hint': None
  'acts.installation.origins': None
  'acts.installation.origins.hint': None
  'acts.installation.page': None
  'acts.installation.page.hint': None
  'acts.installation.returnUrl': None
  'acts.installation.returnUrl.hint': None
  'acts.installation.shopUrl': None
  'acts.installation.shopUrl.hint': None
  'acts.installation.provider': None
  'acts.installation.provider.hint': None
  'acts.installation.skip': None
  'acts.installation-create': None
  'acts.installation-create.lead': None
  'acts.installation-create.done': None
  'acts.installation-allow': None
  'acts.installation-allow.lead': None
  'acts.installation-forbid': None
  'acts.installation-forbid.lead': None
  'acts.installation-shop': None
  'acts.installation-shop.lead': None
  'acts.installation-checkout': None
  'acts.installation-checkout.lead': None
  'acts.installation-revoke': None
  'acts.installation-revoke.lead': None
  'acts.merchant.why': None
  'acts.merchant.why.hint': None
  'acts.merchant.is_open': None
  'acts.merchant.is_paused': None
  'acts.merchant.is_closed': None
  'acts.merchant-pause': None
  'acts.merchant-pause.lead': None
  'acts.merchant-close': None
  'acts.merchant-close.lead': None
  'acts.merchant-resume': None
  'acts.merchant-resume.lead': None
  'acts.callback-set': None
  'acts.callback-set.lead': None
  'acts.callback.url': None
  'acts.callback.url.hint': None
  'acts.callback.url.wrong': None
  'acts.callback.orderBook': None
  'acts.account.byEnvironment': None
  'acts.account.inFavourOfDeployment': None
  'acts.account-retire': None
  'acts.account-retire.lead': None
  'acts.saved-method.savedMethod': None
  'acts.saved-method.savedMethod.hint': None
  'acts.saved-method-revoke': None
  'acts.saved-method-revoke.lead': None
  'acts.saved-method.operationId': None
  'acts.saved-method-revoke.done': None
  'acts.merchant-create': None
  'acts.merchant-create.lead': None
  'acts.merchant.callbackUrl.hint': None
  'acts.merchant.callbackUrl': None
  'acts.merchant.webhookSecret': None
  'acts.merchant.merchantId': None
  'acts.merchant-create.done': { secret: string }
  'acts.account.driver': None
  'acts.account.currencies': None
  'acts.account.unchecked': None
  'acts.account.replaced': None
  'acts.account.ofShop': None
  'acts.account.ofAll': None
  'acts.account.noShop': None
  'acts.account-set': None
  'acts.account-set.lead': None
  'acts.account-rotate': None
  'acts.account-rotate.lead': None
  'acts.account-allow': None
  'acts.account-allow.lead': None
  'acts.account-forbid': None
  'acts.account-forbid.lead': None
  'acts.account.accountId': None
  'acts.account.merchantId': None
  'acts.account.route': None
  'acts.account.currencies.hint': None
  'acts.account-set.done': { outcome: string }
  'acts.customer-forget': None
  'acts.customer-forget.lead': None
  'acts.customer.phone': None
  'acts.customer.phone.hint': None
  'acts.customer-forget.email.wrong': None
  'acts.customer.undelivered': None
  'acts.customer.otherRows': None
  'acts.customer-forget.done': None
  'acts.restore-end': None
  'acts.restore-end.lead': None
  'acts.restore.none': None
  'acts.restore.why.hint': None
  'acts.mail-resend': None
  'acts.mail-resend.lead': None
  'acts.mail.mail': None
  'acts.mail.none': None
  'acts.customer.email': None
  'acts.customer.payments': None
  'acts.restore.why': None
  'acts.mail-resend.done': None
  'acts.approval.currency': None
  'acts.approval.limitMinor': None
  'acts.approval.limitMinor.hint': None
  'acts.approval.limitMinor.none': None
  'acts.approval-limit.limitMinor.wrong': None
  'acts.approval-limit': None
  'acts.approval-limit.lead': None
  'acts.merchant-routes': None
  'acts.merchant-routes.lead': None
  'acts.merchant.routes': None
  'acts.merchant.routes.hint': None
  'acts.merchant.marks': None
  'acts.merchant.marks.hint': None
  'acts.callback-verify': None
  'acts.callback-verify.lead': None
  'acts.callback.noUrl': None
  'acts.callback.verifiesBook': None
  'acts.callback-verify.done': { accepted: string }
  'acts.mail-check': None
  'acts.mail-check.lead': None
  'acts.mail-check.done': { state: string }
  'acts.mail.server': None
  'acts.mail.sender': None
  'acts.mail.waiting': None
  'acts.mail.failed': None
  'acts.mail.reason': None
  'acts.clock-advance': None
  'acts.clock-advance.lead': None
  'acts.clock.live': None
  'acts.clock.by': None
  'acts.clock.to': None
  'acts.clock.count': None
  'acts.clock-advance.done': { arrived: string }
  'acts.merchant.labelHy': None
  'acts.merchant.labelHy.hint': None
  'acts.merchant.labelRu': None
  'acts.merchant.labelRu.hint': None
  'acts.merchant.labelEn': None
  'acts.merchant.labelEn.hint': None
  'approvals.acts.payment returned': None
  'approvals.acts.user add': None
  'approvals.acts.user set': None
  'approvals.acts.user reset': None
  'approvals.acts.user remove': None
  'approvals.acts.payment confirm': None
  'approvals.acts.payment resolve': None
  'approvals.acts.payment refund': None
  'approvals.acts.payment capture': None
  'approvals.acts.payment void': None
  'approvals.acts.operation resolve': None
  'approvals.acts.account ask': None
  'approvals.acts.name ask': None
  'approvals.acts.account retire': None
  'approvals.acts.account set': None
  'approvals.acts.callback set': None
  'approvals.acts.approval limit': None
  'approvals.acts.account rotate': None
  'approvals.acts.account allow': None
  'approvals.acts.callback rotate-secret': None
  'approvals.acts.token set': None
  'approvals.acts.token issue': None
  'approvals.facts.payment': None
  'approvals.facts.operation': None
  'approvals.facts.shop': None
  'approvals.facts.person': None
  'approvals.facts.amount': None
  'approvals.facts.arrived': None
  'approvals.facts.acceptsOther': None
  'approvals.facts.acceptsSum': None
  'approvals.facts.reference': None
  'approvals.facts.why': None
  'approvals.facts.key': None
  'approvals.facts.decision': None
  'approvals.facts.route': None
  'approvals.facts.driver': None
  'approvals.facts.currencies': None
  'approvals.facts.setting': None
  'approvals.facts.unchecked': None
  'approvals.facts.keepsOthers': None
  'approvals.facts.recipient': None
  'approvals.facts.bank': None
  'approvals.facts.accountNumber': None
  'approvals.facts.bic': None
  'approvals.facts.days': None
  'approvals.facts.account': None
  'approvals.facts.inFavour': None
  'approvals.facts.mayUse': None
  'approvals.facts.url': None
  'approvals.facts.ordersHere': None
  'approvals.facts.overlap': None
  'approvals.facts.limit': None
  'approvals.facts.scopes': None
  'approvals.facts.name': None
  'approvals.facts.role': None
  'approvals.facts.email': None
  'approvals.facts.refundLimit': None
  'approvals.facts.refundLimitDay': None
  'approvals.facts.token': None
  'approvals.facts.oldToken': None
  'approvals.facts.tokenOverlap': None
  'approvals.facts.newKey': None
  'approvals.facts.noKey': None
  'approvals.facts.newLink': None
  'approvals.facts.origin': None
  'approvals.facts.page': None
  'approvals.facts.publicKey': None
  'approvals.facts.returnUrl': None
  'approvals.facts.shopUrl': None
  'approvals.facts.skipsCheckout': None
  'approvals.values.yes': None
  'approvals.values.no': None
  'approvals.values.none': None
  'approvals.values.all': None
  'approvals.values.noLimit': None
  'approvals.values.orderBook': None
  'approvals.values.ordersStay': None
  'approvals.values.overlap_0': None
  'approvals.values.overlap_1h': None
  'approvals.values.overlap_24h': None
  'approvals.values.overlap_7d': None
  'approvals.insteadOf': { before: string }
  'approvals.waitsTitle': { what: string }
  'approvals.waitsText': { name: string }
  'approvals.waitsOpen': None
  'approvals.proposal': None
  'approvals.expires': None
  'approvals.why': None
  'approvals.facts.state': None
  'approvals.facts.openPayments': None
  'approvals.facts.heldPayments': None
  'approvals.facts.undecidedPayments': None
  'approvals.facts.disputedPayments': None
  'approvals.facts.openOperations': None
  'approvals.facts.runningSubscriptions': None
  'approvals.values.merchant_open': None
  'approvals.values.merchant_paused': None
  'approvals.values.merchant_closed': None
  'approvals.facts.savedMethod': None
  'approvals.values.account_retired': None
  'approvals.values.account_used': None
  'approvals.values.method_pending': None
  'approvals.values.method_active': None
  'approvals.values.method_cancelled': None
  'approvals.values.method_failed': None
  'approvals.values.method_revoked': None
  'approvals.values.restore_open': None
  'approvals.values.restore_ended': None
  'approvals.facts.mail': None
  'approvals.values.mail_waiting': None
  'approvals.facts.phone': None
  'approvals.values.mail_ended': None
  'approvals.facts.subscription': None
  'approvals.facts.receipt': None
  'approvals.facts.number': None
  'approvals.facts.order': None
  'approvals.facts.anyway': None
  'approvals.facts.decides': None
  'approvals.facts.note': None
  'approvals.facts.product': None
  'approvals.facts.routes': None
  'approvals.facts.clockBy': None
  'approvals.values.clock_1h': None
  'approvals.values.clock_1d': None
  'approvals.values.clock_7d': None
  'approvals.values.clock_30d': None
  'approvals.values.clock_90d': None
  'approvals.values.clock_365d': None
  'approvals.facts.proposal': None
  'approvals.facts.difference': None
  'approvals.facts.statement': None
  'approvals.facts.event': None
  'approvals.facts.since': None
  'approvals.facts.until': None
  'approvals.facts.latest': None
  'approvals.facts.description': None
  'approvals.facts.ends': None
  'approvals.facts.language': None
  'approvals.facts.told': None
  'approvals.facts.silent': None
  'approvals.facts.price': None
  'approvals.facts.chosenAmount': None
  'approvals.facts.suggested': None
  'approvals.facts.quantity': None
  'approvals.facts.asked': None
  'approvals.facts.picture': None
  'approvals.facts.colour': None
  'approvals.facts.site': None
  'approvals.facts.taxNumber': None
  'approvals.facts.terms': None
  'approvals.facts.timeZone': None
  'approvals.facts.logo': None
  'approvals.facts.day': None
  'bank.bankName': None
  'bank.bankNoMoney': None
  'bank.bankTitle': None
  'bank.bankMerchant': None
  'bank.bankReference': None
  'bank.bankAmount': None
  'bank.outcomePaid': None
  'bank.outcomePaidText': None
  'bank.outcomePaidTwoStepText': None
  'bank.outcomeDeclined': None
  'bank.outcomeDeclinedText': None
  'bank.outcomeCancelled': None
  'bank.outcomeCancelledText': None
  'bank.outcomePending': None
  'bank.outcomePendingText': None
  'bank.outcomeHeldPaid': None
  'bank.outcomeHeldPaidText': None
  'bank.outcomeHeldDeclined': None
  'bank.outcomeHeldDeclinedText': None
  'bank.outcomeUnknown': None
  'bank.outcomeUnknownText': None
  'bank.bankFault': { fault: string }
  'bank.bankDoneTitle': None
  'bank.bankDoneText': None
  'bank.bankBack': None
  'bank.bankUnknownTitle': None
  'bank.bankUnknownText': None
  'bank.cardTitle': None
  'bank.cardSaved': None
  'bank.cardSavedText': None
  'bank.cardDeclines': None
  'bank.cardDeclinesText': None
  'bank.cardHardDeclines': None
  'bank.cardHardDeclinesText': None
  'bank.cardCancelled': None
  'bank.cardCancelledText': None
  'bank.cardKeptTitle': None
  'bank.cardRemoved': None
  'bank.cardRemovedText': None
  'bank.cardDoneTitle': None
  'bank.cardDoneText': None
  'bank.cardUnknownTitle': None
  'cases.undecided': None
  'cases.disputed': None
  'cases.operation': None
  'cases.receipt': None
  'cases.warning': None
  'cases.refund_limit': None
  'cases.difference': None
  'cases.callback_paused': None
  'cases.events_given_up': None
  'cases.account': None
  'cases.approval': None
  'cases.restore': None
  'cli.token-issue': None
  'cli.token-issue.scopes': None
  'cli.token-issue.refundLimits': None
  'cli.token-issue.refundLimitsDay': None
  'cli.token-issue.done': None
  'cli.token-issue.next': None
  'cli.token-set': None
  'cli.token-set.tokenId': None
  'cli.token-set.refundLimits': None
  'cli.token-set.refundLimitsDay': None
  'cli.token-set.done': None
  'cli.token-rotate': None
  'cli.token-rotate.tokenId': None
  'cli.token-rotate.overlap': None
  'cli.token-rotate.done': None
  'cli.token-rotate.next': None
  'cli.token-revoke': None
  'cli.token-revoke.token': None
  'cli.token-revoke.done': None
  'cli.merchant-rename': None
  'cli.merchant-rename.name': None
  'cli.merchant-rename.done': None
  'cli.callback-rotate-secret': None
  'cli.callback-rotate-secret.overlap': None
  'cli.callback-rotate-secret.done': None
  'cli.callback-rotate-secret.next': None
  'cli.callback-end-secret': None
  'cli.callback-end-secret.done': None
  'cli.origin-add': None
  'cli.origin-add.origin': None
  'cli.origin-add.done': { origin: string }
  'cli.origin-add.next': None
  'cli.origin-remove': None
  'cli.origin-remove.origin': None
  'cli.origin-remove.done': { origin: string }
  'cli.origin-disapprove': None
  'cli.origin-disapprove.origin': None
  'cli.origin-disapprove.done': { admin: string; origin: string }
  'cli.installation-create': None
  'cli.installation-create.origins': None
  'cli.installation-create.page': None
  'cli.installation-create.returnUrl': None
  'cli.installation-create.shopUrl': None
  'cli.installation-create.provider': None
  'cli.installation-create.done': None
  'cli.installation-create.next': { admin: string; installPage: string; merchantId: string; payLink: string }
  'cli.installation-allow': None
  'cli.installation-allow.installation': None
  'cli.installation-allow.origin': None
  'cli.installation-allow.done': { origin: string }
  'cli.installation-forbid': None
  'cli.installation-forbid.installation': None
  'cli.installation-forbid.origin': None
  'cli.installation-forbid.done': { origin: string }
  'cli.installation-shop': None
  'cli.installation-shop.installation': None
  'cli.installation-shop.shopUrl': None
  'cli.installation-shop.done': None
  'cli.installation-checkout': None
  'cli.installation-checkout.installation': None
  'cli.installation-checkout.skip': None
  'cli.installation-checkout.done': None
  'cli.installation-revoke': None
  'cli.installation-revoke.installation': None
  'cli.installation-revoke.done': None
  'cli.facts.token': None
  'cli.facts.tokenId': None
  'cli.facts.world': None
  'cli.facts.oldUntil': None
  'cli.facts.revokedAt': None
  'cli.facts.before': None
  'cli.facts.webhookSecret': None
  'cli.facts.ended': None
  'cli.facts.origins': None
  'cli.facts.approved': None
  'cli.facts.installationId': None
  'cli.facts.publicKey': None
  'cli.facts.installPage': None
  'cli.facts.returnUrl': None
  'cli.facts.shopUrl': None
  'cli.facts.route': None
  'cli.facts.warning': None
  'cli.merchant-pause': None
  'cli.merchant-pause.why': None
  'cli.merchant-pause.done': None
  'cli.merchant-pause.next': { admin: string; goesOn: string; merchantId: string }
  'cli.merchant-close': None
  'cli.merchant-close.why': None
  'cli.merchant-close.done': None
  'cli.merchant-close.next': { admin: string; goesOn: string; merchantId: string }
  'cli.merchant-resume': None
  'cli.merchant-resume.done': None
  'cli.callback-set': None
  'cli.callback-set.url': None
  'cli.callback-set.orderBook': None
  'cli.callback-set.url.wrong': None
  'cli.callback-set.done': None
  'cli.callback-set.next': { admin: string; merchantId: string; receiver: string; secret: string }
  'cli.payment-refund': None
  'cli.payment-refund.paymentId': None
  'cli.payment-refund.key': None
  'cli.payment-refund.amountMinor': None
  'cli.payment-refund.why': None
  'cli.payment-refund.done': { created: string }
  'cli.payment-refund.next': { admin: string; operationId: string; paymentId: string; paymentStatus: string; status: string }
  'cli.payment-capture': None
  'cli.payment-capture.paymentId': None
  'cli.payment-capture.key': None
  'cli.payment-capture.amountMinor': None
  'cli.payment-capture.why': None
  'cli.payment-capture.done': { created: string }
  'cli.payment-capture.next': { admin: string; operationId: string; paymentId: string; paymentStatus: string; status: string }
  'cli.payment-void': None
  'cli.payment-void.paymentId': None
  'cli.payment-void.key': None
  'cli.payment-void.why': None
  'cli.payment-void.done': { created: string }
  'cli.payment-void.next': { admin: string; operationId: string; paymentId: string; paymentStatus: string; status: string }
  'cli.payment-confirm': None
  'cli.payment-confirm.paymentId': None
  'cli.payment-confirm.number': None
  'cli.payment-confirm.reference': None
  'cli.payment-confirm.amountMinor': None
  'cli.payment-confirm.accepts': None
  'cli.payment-confirm.done': { confirmed: string }
  'cli.payment-returned': None
  'cli.payment-returned.paymentId': None
  'cli.payment-returned.number': None
  'cli.payment-returned.amountMinor': None
  'cli.payment-returned.reference': None
  'cli.payment-returned.why': None
  'cli.payment-returned.done': { noted: string }
  'cli.payment-resolve': None
  'cli.payment-resolve.paymentId': None
  'cli.payment-resolve.as': None
  'cli.payment-resolve.accepts': None
  'cli.payment-resolve.why': None
  'cli.payment-resolve.done': { providerDisagrees: string; providerSaid: string }
  'cli.payment-cancel': None
  'cli.payment-cancel.paymentId': None
  'cli.payment-cancel.why': None
  'cli.payment-cancel.done': { created: string }
  'cli.payment-cancel.next': { paymentId: string; status: string }
  'cli.operation-resolve': None
  'cli.operation-resolve.operationId': None
  'cli.operation-resolve.as': None
  'cli.operation-resolve.why': None
  'cli.operation-resolve.done': None
  'cli.account-retire': None
  'cli.account-retire.inFavourOfDeployment': None
  'cli.account-retire.done': None
  'cli.saved-method-revoke': None
  'cli.saved-method-revoke.savedMethod': None
  'cli.saved-method-revoke.done': { created: string }
  'cli.saved-method-revoke.next': { operationId: string; savedMethod: string; status: string }
  'cli.merchant-create': None
  'cli.merchant-create.name': None
  'cli.merchant-create.callbackUrl': None
  'cli.merchant-create.done': { merchantId: string }
  'cli.merchant-create.next': { admin: string; approvalId: string; merchantId: string; secret: string }
  'cli.account-set': None
  'cli.account-set.driver': None
  'cli.account-set.route': None
  'cli.account-set.currencies': None
  'cli.account-set.written': None
  'cli.account-set.credentials': None
  'cli.account-set.unchecked': None
  'cli.account-set.done': { outcome: string }
  'cli.account-set.next': { accountId: string; admin: string; replaced: string }
  'cli.account-rotate': None
  'cli.account-rotate.written': None
  'cli.account-rotate.unchecked': None
  'cli.account-rotate.done': None
  'cli.account-rotate.next': None
  'cli.account-allow': None
  'cli.account-allow.merchantId': None
  'cli.account-allow.allowed': None
  'cli.account-allow.done': { allowed: string }
  'cli.mail-resend': None
  'cli.mail-resend.mail': None
  'cli.mail-resend.done': { mailId: string }
  'cli.customer-forget': None
  'cli.customer-forget.email': None
  'cli.customer-forget.phone': None
  'cli.customer-forget.email.wrong': None
  'cli.customer-forget.done': { found: string }
  'cli.customer-forget.next': { found: string; otherWorld: string; undelivered: string; world: string }
  'cli.blanked.payments': None
  'cli.blanked.events': None
  'cli.blanked.undelivered': None
  'cli.blanked.deliveries': None
  'cli.blanked.exchanges': None
  'cli.blanked.attempts': None
  'cli.blanked.mails': None
  'cli.blanked.orders': None
  'cli.blanked.changes': None
  'cli.blanked.warnings': None
  'cli.blanked.receipts': None
  'cli.blanked.savedMethods': None
  'cli.blanked.subscriptions': None
  'cli.blanked.operations': None
  'cli.blanked.search': None
  'cli.blanked.statementLines': None
  'cli.blanked.bankReferences': None
  'cli.blanked.entries': None
  'cli.blanked.proposals': None
  'cli.blanked.differences': None
  'cli.blanked.unknownOrders': None
  'cli.blanked.sandbox': None
  'cli.restore-end': None
  'cli.restore-end.why': None
  'cli.restore-end.done': None
  'cli.approval-limit': None
  'cli.approval-limit.currency': None
  'cli.approval-limit.limitMinor': None
  'cli.approval-limit.off': None
  'cli.approval-limit.limitMinor.wrong': None
  'cli.approval-limit.done': { currency: string; limit: string }
  'cli.user.user': None
  'cli.user.name': None
  'cli.user.role': None
  'cli.user.email': None
  'cli.user.refundLimits': None
  'cli.user.refundLimitsDay': None
  'cli.user.next': { admin: string; isLinkEnded: string; lacksLink: string; opened: string; suggested: string; userId: string }
  'cli.user-add': None
  'cli.user-add.merchantId': None
  'cli.user-add.done': None
  'cli.user-set': None
  'cli.user-set.merchantId': None
  'cli.user-set.isNewKey': None
  'cli.user-set.done': None
  'cli.user-reset': None
  'cli.user-reset.done': None
  'cli.user-remove': None
  'cli.user-remove.done': None
  'cli.origin.address': None
  'cli.origin-ask': None
  'cli.origin-ask.done': { admin: string; origin: string }
  'cli.origin-withdraw': None
  'cli.origin-withdraw.done': { origin: string }
  'cli.origin-refuse': None
  'cli.origin-refuse.why': None
  'cli.origin-refuse.done': { origin: string }
  'cli.origin-approve': None
  'cli.origin-approve.origin': None
  'cli.origin-approve.page': None
  'cli.origin-approve.origin.wrong': None
  'cli.origin-approve.done': { origin: string }
  'cli.origin-approve.next': None
  'cli.address-retire': None
  'cli.address-retire.name': None
  'cli.address-retire.done': { state: string }
  'cli.subscription-cancel': None
  'cli.subscription-cancel.subscriptionId': None
  'cli.subscription-cancel.done': { created: string }
  'cli.receipt-retry': None
  'cli.receipt-retry.paymentId': None
  'cli.receipt-retry.done': { created: string }
  'cli.receipt-resolve': None
  'cli.receipt-resolve.receiptId': None
  'cli.receipt-resolve.as': None
  'cli.receipt-resolve.number': None
  'cli.receipt-resolve.why': None
  'cli.receipt-resolve.number.wrong': None
  'cli.receipt-resolve.done': None
  'cli.order.merchantId': None
  'cli.order.order': None
  'cli.order-move': None
  'cli.order-move.to': None
  'cli.order-move.anyway': None
  'cli.order-move.done': { order: string; way: string }
  'cli.order-note': None
  'cli.order-note.text': None
  'cli.order-note.answers': None
  'cli.order-note.done': { order: string }
  'cli.product-remove': None
  'cli.product-remove.id': None
  'cli.product-remove.done': None
  'cli.mail-check': None
  'cli.mail-check.done': { state: string }
  'cli.mail-check.next': { admin: string; failures: string }
  'cli.merchant-routes': None
  'cli.merchant-routes.routes': None
  'cli.merchant-routes.marks': None
  'cli.merchant-routes.remove': None
  'cli.merchant-routes.routes.wrong': None
  'cli.merchant-routes.done': { changed: string }
  'cli.callback-verify': None
  'cli.callback-verify.done': { accepted: string }
  'cli.callback-verify.next': { book: string; link: string; mailedTo: string }
  'cli.merchant-routes.labelHy': None
  'cli.merchant-routes.labelRu': None
  'cli.merchant-routes.labelEn': None
  'cli.columns.createdAt': None
  'cli.columns.type': None
  'cli.columns.status': None
  'cli.columns.state': None
  'cli.columns.amount': None
  'cli.columns.paymentId': None
  'cli.columns.merchantId': None
  'cli.columns.kind': None
  'cli.columns.reason': None
  'cli.columns.attempts': None
  'cli.columns.name': None
  'cli.columns.role': None
  'cli.columns.email': None
  'cli.columns.about': None
  'cli.columns.address': None
  'cli.columns.since': None
  'cli.columns.productId': None
  'cli.columns.callbackUrl': None
  'cli.columns.interval': None
  'cli.columns.nextChargeAt': None
  'cli.columns.merchantSubscriptionId': None
  'cli.columns.removedAt': None
  'cli.columns.what': None
  'cli.columns.proposer': None
  'cli.columns.expiresAt': None
  'cli.operation-list': None
  'cli.operation-list.merchantId': None
  'cli.operation-list.paymentId': None
  'cli.operation-list.status': None
  'cli.operation-list.columns.id': None
  'cli.operation-list.none': None
  'cli.order-list': None
  'cli.order-list.day': None
  'cli.order-list.way': None
  'cli.order-list.needsPerson': None
  'cli.order-list.after': None
  'cli.order-list.columns.id': None
  'cli.order-list.columns.way': None
  'cli.order-list.columns.money': None
  'cli.order-list.columns.needs': None
  'cli.order-list.none': None
  'cli.audit-list': None
  'cli.audit-list.since': None
  'cli.audit-list.who': None
  'cli.audit-list.merchantId': None
  'cli.audit-list.paymentId': None
  'cli.audit-list.columns.number': None
  'cli.audit-list.columns.when': None
  'cli.audit-list.columns.who': None
  'cli.audit-list.columns.from': None
  'cli.audit-list.columns.change': None
  'cli.audit-list.none': None
  'cli.receipt-list': None
  'cli.receipt-list.merchantId': None
  'cli.receipt-list.status': None
  'cli.receipt-list.columns.id': None
  'cli.receipt-list.none': None
  'cli.receipt-list.note': { admin: string }
  'cli.mail-list': None
  'cli.mail-list.state': None
  'cli.mail-list.paymentId': None
  'cli.mail-list.columns.id': None
  'cli.mail-list.columns.kind': None
  'cli.mail-list.columns.about': None
  'cli.mail-list.none': None
  'cli.subscription-list': None
  'cli.subscription-list.merchantId': None
  'cli.subscription-list.status': None
  'cli.subscription-list.columns.id': None
  'cli.subscription-list.none': None
  'cli.address-list': None
  'cli.address-list.merchantId': None
  'cli.address-list.none': None
  'cli.origin-waiting': None
  'cli.origin-waiting.none': None
  'cli.user-list': None
  'cli.user-list.columns.id': None
  'cli.user-list.columns.merchantId': None
  'cli.user-list.none': { admin: string }
  'cli.approval-list': None
  'cli.approval-list.all': None
  'cli.approval-list.columns.id': None
  'cli.approval-list.none': None
  'cli.merchant-list': None
  'cli.merchant-list.columns.id': None
  'cli.merchant-list.none': { admin: string }
  'cli.payment-ask': None
  'cli.payment-ask.paymentId': None
  'cli.payment-ask.done': None
  'cli.approval-refuse': None
  'cli.approval-refuse.approvalId': None
  'cli.approval-refuse.why': None
  'cli.approval-refuse.done': { about: string; what: string }
  'cli.desk-settle': None
  'cli.desk-settle.paymentId': None
  'cli.desk-settle.tokenId': None
  'cli.desk-settle.why': None
  'cli.desk-settle.paymentId.wrong': None
  'cli.desk-settle.done': { calls: string; lines: string }
  'cli.user.facts.key': None
  'cli.user.facts.link': None
  'cli.mail.facts.server': None
  'cli.mail.facts.encryption': None
  'cli.mail.facts.sender': None
  'cli.mail.facts.waiting': None
  'cli.mail.facts.failed': None
  'cli.reconcile.why': None
  'cli.reconcile-close': None
  'cli.reconcile-close.differenceId': None
  'cli.reconcile-close.done': None
  'cli.reconcile-withdraw': None
  'cli.reconcile-withdraw.statement': None
  'cli.reconcile-withdraw.done': { decided: string; differences: string; kept: string; lines: string }
  'cli.event-replay': None
  'cli.event-replay.eventId': None
  'cli.event-replay.merchantId': None
  'cli.event-replay.paymentId': None
  'cli.event-replay.since': None
  'cli.event-replay.until': None
  'cli.event-replay.state': None
  'cli.event-replay.latest': None
  'cli.event-replay.eventId.wrong': None
  'cli.event-replay.since.wrong': None
  'cli.event-replay.latest.wrong': None
  'cli.event-replay.done': { found: string; replayed: number }
  'cli.event-replay.next': { admin: string; found: string; look: string }
  'cli.link-create': None
  'cli.link-create.amountMinor': None
  'cli.link-create.currency': None
  'cli.link-create.description': None
  'cli.link-create.order': None
  'cli.link-create.email': None
  'cli.link-create.route': None
  'cli.link-create.expires': None
  'cli.link-create.key': None
  'cli.link-create.done': { created: string }
  'cli.link-create.next': { admin: string; paymentId: string }
  'cli.link.facts.paymentUrl': None
  'cli.link.facts.paymentId': None
  'cli.link.facts.order': None
  'cli.link.facts.status': None
  'cli.link.facts.expiresAt': None
  'cli.link.facts.key': None
  'cli.order-mails': None
  'cli.order-mails.email': None
  'cli.order-mails.locale': None
  'cli.order-mails.told': None
  'cli.order-mails.silent': None
  'cli.order-mails.everything': None
  'cli.order-mails.off': None
  'cli.order-mails.done': { mailServer: string }
  'cli.order.facts.email': None
  'cli.order.facts.locale': None
  'cli.order.facts.told': None
  'cli.order.facts.about': None
  'cli.columns.route': None
  'cli.columns.order': None
  'cli.columns.dueAt': None
  'cli.columns.scopes': None
  'cli.columns.origins': None
  'cli.columns.publicKey': None
  'cli.columns.currencies': None
  'cli.columns.driver': None
  'cli.columns.price': None
  'cli.columns.asks': None
  'cli.columns.refunds': None
  'cli.columns.issuedAt': None
  'cli.columns.usedBy': None
  'cli.columns.allowed': None
  'cli.columns.approved': None
  'cli.event-list': None
  'cli.event-list.merchantId': None
  'cli.event-list.paymentId': None
  'cli.event-list.state': None
  'cli.event-list.columns.id': None
  'cli.event-list.none': None
  'cli.account-list': None
  'cli.account-list.merchantId': None
  'cli.account-list.all': None
  'cli.account-list.columns.id': None
  'cli.account-list.none': None
  'cli.product-list': None
  'cli.product-list.merchantId': None
  'cli.product-list.columns.id': None
  'cli.product-list.none': { admin: string }
  'cli.token-list': None
  'cli.token-list.merchantId': None
  'cli.token-list.columns.id': None
  'cli.token-list.none': { admin: string; merchantId: string }
  'cli.origin-list': None
  'cli.origin-list.columns.id': None
  'cli.origin-list.none': { admin: string; merchantId: string }
  'cli.installation-list': None
  'cli.installation-list.columns.id': None
  'cli.installation-list.none': { admin: string; merchantId: string }
  'cli.product-set': None
  'cli.product-set.id': None
  'cli.product-set.name': None
  'cli.product-set.description': None
  'cli.product-set.picture': None
  'cli.product-set.amountMinor': None
  'cli.product-set.currency': None
  'cli.product-set.minMinor': None
  'cli.product-set.maxMinor': None
  'cli.product-set.stepMinor': None
  'cli.product-set.suggestedMinor': None
  'cli.product-set.maxQuantity': None
  'cli.product-set.fields': None
  'cli.product-set.fieldLabels': None
  'cli.product-set.route': None
  'cli.product-set.remove': None
  'cli.product-set.seen': None
  'cli.product-set.remove.wrong': None
  'cli.product-set.done': None
  'cli.product-set.next': { admin: string; isStale: string; merchantId: string; pages: string }
  'cli.product-set.nameHy': None
  'cli.product-set.descriptionHy': None
  'cli.product-set.nameRu': None
  'cli.product-set.descriptionRu': None
  'cli.product-set.nameEn': None
  'cli.product-set.descriptionEn': None
  'cli.merchant-brand': None
  'cli.merchant-brand.name': None
  'cli.merchant-brand.logo': None
  'cli.merchant-brand.colour': None
  'cli.merchant-brand.phone': None
  'cli.merchant-brand.email': None
  'cli.merchant-brand.site': None
  'cli.merchant-brand.taxNumber': None
  'cli.merchant-brand.termsUrl': None
  'cli.merchant-brand.timeZone': None
  'cli.merchant-brand.askEmail': None
  'cli.merchant-brand.remove': None
  'cli.merchant-brand.done': { changed: string }
  'cli.merchant-brand.nameHy': None
  'cli.merchant-brand.nameRu': None
  'cli.merchant-brand.nameEn': None
  'cli.approval-grant': None
  'cli.approval-grant.approvalId': None
  'cli.approval-grant.done': { about: string; what: string }
  'cli.approval-grant.next': { opens: string }
  'cli.approval.facts.linkEnd': None
  'cli.approval.facts.keyEnd': None
  'cli.account-customer': None
  'cli.account-customer.customer': None
  'cli.account-customer.version': None
  'cli.account-customer.done': None
  'cli.account.facts.customer': None
  'cli.account.facts.secret': None
  'cli.account-customer.next': { admin: string; customer: string }
  'cli.order-print': None
  'cli.order-print.order': None
  'cli.order-print.day': None
  'cli.order-print.done': { link: string }
  'docs.name': None
  'docs.skip': None
  'docs.contents': None
  'docs.neighbours': None
  'docs.previous': None
  'docs.next': None
  'docs.onThisPage': None
  'docs.otherLanguages': None
  'docs.searchLabel': None
  'docs.search': None
  'docs.typeWords': None
  'docs.nothingFound': { query: string }
  'docs.found': { count: number; query: string }
  'docs.fewerWords': None
  'errors.missing_token.message': None
  'errors.missing_token.hint': None
  'errors.invalid_token.message': None
  'errors.invalid_token.hint': None
  'errors.token.quoted': None
  'errors.token.placeholder': None
  'errors.token.publicKey': None
  'errors.token.webhookSecret': None
  'errors.https_required.message': None
  'errors.https_required.hint': None
  'errors.origin_missing.message': None
  'errors.origin_missing.hint': None
  'errors.origin_not_trusted.message': None
  'errors.origin_not_trusted.hint': None
  'errors.widget_key_invalid.message': None
  'errors.widget_key_invalid.hint': None
  'errors.insufficient_scope.message': None
  'errors.payment_not_found.message': None
  'errors.operation_not_found.message': None
  'errors.token_not_found.message': None
  'errors.subscription_not_found.message': None
  'errors.not_found.message': None
  'errors.method_not_allowed.message': None
  'errors.operation_disabled.message': None
  'errors.refund_limit_reached.message': None
  'errors.payment_not_eligible.message': None
  'errors.fiscalization_disabled.message': None
  'errors.receipt_already_issued.message': None
  'errors.payload_too_large.message': None
  'errors.unsupported_media_type.message': None
  'errors.unsupported_media_type.hint': None
  'errors.malformed_request.message': None
  'errors.request_timeout.message': None
  'errors.address_too_long.message': None
  'errors.expectation_failed.message': None
  'errors.headers_too_large.message': None
  'errors.validation_failed.message': None
  'errors.invalid_json.message': None
  'errors.raw_card_data_rejected.message': None
  'errors.raw_card_data_rejected.hint': None
  'errors.idempotency_key_required.message': None
  'errors.idempotency_key_reused.message': None
  'errors.idempotency_key_reused.hint': None
  'errors.provider_route_unsupported.message': None
  'errors.provider_route_not_ready.message': None
  'errors.amount_mismatch.message': None
  'errors.product_unknown.message': None
  'errors.product_unknown.hint': None
  'errors.amount_chosen_by_buyer.message': None
  'errors.amount_chosen_by_buyer.hint': None
  'errors.return_url_not_allowed.message': None
  'errors.rate_limited.message': None
  'errors.internal.message': None
  'errors.operation_not_configured.message': None
  'errors.provider_unavailable.message': None
  'errors.storage_unavailable.message': None
  'errors.request_in_progress.message': None
  'errors.value.required': None
  'errors.value.wrongType': { given: string; wanted: string }
  'errors.value.wrongNumber': { wanted: string }
  'errors.value.type.string': None
  'errors.value.type.number': None
  'errors.value.type.int': None
  'errors.value.type.boolean': None
  'errors.value.type.object': None
  'errors.value.type.array': None
  'errors.value.type.null': None
  'errors.value.type.otherWanted': None
  'errors.value.type.otherGiven': None
  'errors.value.oneOf': { count: number; values: string }
  'errors.value.format.email': None
  'errors.value.format.url': None
  'errors.value.format.datetime': None
  'errors.value.format.other': None
  'errors.value.empty': None
  'errors.value.atLeast': { limit: string }
  'errors.value.atMost': { limit: string }
  'errors.value.tooShort': { limit: number }
  'errors.value.tooLong': { limit: number }
  'errors.value.tooFew': { limit: number }
  'errors.value.tooMany': { limit: number }
  'errors.value.multipleOf': { divisor: string }
  'errors.value.unknownKey': None
  'errors.value.unknownKeyMeant': { name: string }
  'errors.value.unknownKeyMeantMinor': { name: string }
  'errors.value.invalidKey': None
  'errors.value.invalidElement': None
  'errors.value.invalidUnion': None
  'errors.value.notAllowed': None
  'errors.callback.busy': None
  'errors.callback.tooLarge': None
  'errors.token.otherWorld': None
  'errors.authorization.once': None
  'errors.idempotencyKey.once': None
  'errors.idempotencyKey.form': { max: number }
  'errors.ifRefunded.form': { max: string }
  'errors.widget.none': None
  'errors.method.use': { methods: string }
  'errors.documents.none': None
  'errors.sandbox.busy': None
  'errors.sandbox.busyHint': None
  'errors.body.none': None
  'errors.body.required': None
  'errors.body.tooLarge': { kilobytes: string }
  'errors.body.charset': None
  'errors.body.charsetHint': None
  'errors.body.compressed': None
  'errors.body.compressedHint': None
  'errors.body.incomplete': None
  'errors.body.oneObject': None
  'errors.address.ofPayment': None
  'errors.address.ofRefund': None
  'errors.address.version': None
  'errors.address.list': None
  'errors.metadata.deep': { levels: number }
  'errors.metadata.keys': { keys: number }
  'errors.metadata.large': { bytes: number }
  'errors.route.defaultNotReady': None
  'errors.route.ownAccount': { currency: string; route: string }
  'errors.route.ownAccountHint': None
  'errors.merchant.stoppedHint': None
  'errors.merchant.paused': None
  'errors.merchant.closed': None
  'errors.route.currencies': { currencies: string; route: string }
  'errors.route.notReady': None
  'errors.route.notReadyHint': None
  'errors.idempotencyKey.expiredHint': { paymentId: string }
  'errors.idempotencyKey.expired': { at: string }
  'errors.idempotencyKey.otherContent': None
  'errors.idempotencyKey.sameField': { field: string }
  'errors.amount.disagrees': { minor: number }
  'errors.amount.whole': { currency: string }
  'errors.expiry.past': None
  'errors.expiry.far': { days: number }
  'errors.product.unknown': { installPage: string; productId: string }
  'errors.product.chosen': { page: string }
  'errors.returnUrl.none': None
  'errors.cancel.savedMethod': { id: string }
  'errors.cancel.savedMethodHint': None
  'errors.cancel.status': { allowed: string; status: string }
  'errors.cancel.underWay': { since: string }
  'errors.cancel.underWayHint': None
  'errors.cancel.noAnswer': None
  'errors.cancel.noAnswerHint': None
  'errors.refund.otherSum': { refunded: string; reserved: string; wanted: number }
  'errors.refund.otherSumHint': None
  'errors.receipt.nothingCaptured': None
  'errors.receipt.notFailed': None
  'errors.saving.account': None
  'errors.saving.request': None
  'errors.saving.hint': None
  'errors.token.otherRoute': { provider: string }
  'errors.token.notActive': { status: string }
  'errors.origin.notRegistered': None
  'errors.refundLimit.left': { rest: string; span: string }
  'errors.refundLimit.ofPerson': { left: string }
  'errors.refundLimit.ofPersonHint': None
  'errors.refundLimit.ofToken': { left: string; span: string }
  'findings.revoked': None
  'findings.originRegistered': { origin: string }
  'findings.originUnknown': { origin: string }
  'findings.originClosest': { closest: string }
  'findings.differsScheme': { known: string; page: string }
  'findings.differsWww': { known: string; page: string }
  'findings.differsHost': { known: string; page: string }
  'findings.differsPort': { known: string; page: string }
  'findings.originsAll': { origins: string }
  'findings.spelledNull': None
  'findings.spelledNotWeb': { given: string }
  'findings.spelledOtherwise': { given: string; sent: string }
  'findings.becauseScheme': None
  'findings.becauseSpaces': None
  'findings.becauseUser': None
  'findings.becauseUpperCase': None
  'findings.becausePort': None
  'findings.becauseAscii': None
  'findings.becauseSlash': None
  'findings.becausePath': None
  'findings.adviceServe': None
  'findings.adviceWrite': None
  'findings.adviceAskAgain': None
  'findings.adviceRevoked': None
  'findings.adviceTwin': { twin: string }
  'findings.adviceAllow': None
  'findings.mixedContent': { server: string }
  'findings.pageUnencrypted': None
  'findings.policyUnreadable': None
  'findings.policyScriptFine': { directive: string; number: string }
  'findings.policyScriptBlocked': { directive: string; number: string; source: string }
  'findings.policyScriptElem': { directive: string; number: string; source: string }
  'findings.policyStrictDynamic': { directive: string; number: string }
  'findings.policyNonce': { directive: string; number: string; source: string }
  'findings.policyConnectFine': { directive: string; number: string }
  'findings.policyConnectBlocked': { directive: string; number: string; source: string }
  'findings.policyTypesFine': { number: string }
  'findings.policyTypesInserted': { number: string }
  'findings.policyStyle': { directive: string; number: string }
  'findings.policySandbox': { number: string }
  'findings.policyUnset': { directive: string; number: string }
  'findings.returnMissing': None
  'findings.returnDefault': { url: string }
  'findings.returnFine': { url: string }
  'findings.returnBroken': { given: string }
  'findings.returnNotWeb': None
  'findings.returnUser': None
  'findings.returnLong': { max: number }
  'findings.returnForeign': { origin: string }
  'findings.returnHttp': None
  'findings.snippetFine': None
  'findings.snippetCut': { max: number }
  'findings.snippetSecret': None
  'findings.snippetEscaped': None
  'findings.snippetNone': None
  'findings.snippetQuotes': None
  'findings.snippetLacks': { name: string }
  'findings.snippetKey': { given: string; publicKey: string }
  'findings.snippetProduct': { given: string; products: string }
  'findings.snippetNoScript': { script: string }
  'findings.snippetModule': None
  'findings.snippetHead': None
  'findings.snippetServer': { given: string; server: string }
  'findings.snippetHash': { given: string; version: string; versions: string }
  'findings.snippetOlder': { given: string; version: string; versions: string }
  'findings.snippetHashMoving': None
  'findings.snippetCrossOrigin': None
  'install.title': None
  'install.leadLink': { name: string }
  'install.lead': { name: string }
  'install.unknownTitle': None
  'install.unknownText': None
  'install.plainReturn': None
  'install.noProducts': None
  'install.optionsTitle': None
  'install.product': None
  'install.productMore': None
  'install.label': None
  'install.labelHint': None
  'install.language': None
  'install.languagePage': None
  'install.price': None
  'install.priceShown': None
  'install.priceHidden': None
  'install.priceHint': None
  'install.comeBack': None
  'install.returnGuess': { url: string }
  'install.returnSet': None
  'install.returnHint': None
  'install.colours': None
  'install.background': None
  'install.text': None
  'install.backgroundDark': None
  'install.textDark': None
  'install.radius': None
  'install.version': None
  'install.pinned': { version: string }
  'install.moving': None
  'install.versionHint': None
  'install.show': None
  'install.previewLight': None
  'install.previewDark': None
  'install.previewPressed': None
  'install.previewScript': None
  'install.comeBackPage': None
  'install.contrastLight': None
  'install.contrastDark': None
  'install.amountChosen': None
  'install.sellsOne': None
  'install.anyAmount': None
  'install.anyAmountPoster': None
  'install.shareTitle': None
  'install.shareText': None
  'install.shareLink': None
  'install.sharePoster': None
  'install.posterCode': { name: string }
  'install.posterAct': None
  'install.posterHint': None
  'install.print': None
  'install.posterTitle': None
  'install.posterLead': None
  'install.posterBack': None
  'install.posterSize': None
  'install.posterA4': None
  'install.posterA6': None
  'install.posterTent': None
  'install.posterTexts': None
  'install.posterAllTexts': None
  'install.posterPhoto': None
  'install.posterWithPhoto': None
  'install.posterWithoutPhoto': None
  'install.posterNoPhoto': None
  'install.posterPreview': None
  'install.posterPaperA4': None
  'install.posterPaperA6': None
  'install.posterPaperTent': None
  'install.posterFold': None
  'install.posterTooLong': None
  'install.posterShareLink': None
  'install.posterSave': None
  'install.posterShare': None
  'install.platformTitle': None
  'install.platform_woocommerce': None
  'install.platform_squarespace': None
  'install.platform_opencart': None
  'install.platform_joomla': None
  'install.platform_gtm': None
  'install.note_woocommerce': None
  'install.note_squarespace': None
  'install.note_opencart': None
  'install.note_joomla': None
  'install.note_gtm': None
  'install.doctorMore': None
  'install.snippetsTitle': None
  'install.copy': None
  'install.copied': None
  'install.copyByHand': None
  'install.platform_html': None
  'install.platform_script': None
  'install.platform_wordpress': None
  'install.platform_tilda': None
  'install.platform_wix': None
  'install.platform_shopify': None
  'install.platform_webflow': None
  'install.platform_react': None
  'install.platform_vue': None
  'install.note_html': None
  'install.note_script': None
  'install.note_wordpress': None
  'install.note_tilda': None
  'install.note_wix': None
  'install.note_shopify': None
  'install.note_webflow': None
  'install.note_react': None
  'install.note_vue': None
  'install.doctorTitle': None
  'install.doctorLead': None
  'install.site': None
  'install.csp': None
  'install.cspHint': None
  'install.back': None
  'install.code': None
  'install.codeHint': None
  'install.check': None
  'install.resultOrigin': { origin: string }
  'install.resultOriginNone': None
  'install.resultCode': None
  'install.resultPolicy': None
  'install.resultReturn': None
  'install.fine': None
  'install.stops': None
  'install.askOperator': None
  'install.askAllow': { origin: string; publicKey: string }
  'install.settingsTitle': None
  'install.publicKey': None
  'install.scriptPinned': None
  'install.integrity': None
  'install.scriptMoving': None
  'install.origins': None
  'install.returnUrl': None
  'install.returnNone': None
  'install.policy': None
  'install.payLinks': None
  'install.proof': None
  'install.reference': None
  'mails.paidTitle': { amount: string; name: string }
  'mails.paidText': None
  'mails.returnedTitle': { amount: string; name: string }
  'mails.returnedText': None
  'mails.returnFailedTitle': { amount: string; name: string }
  'mails.returnFailedText': None
  'mails.way': None
  'mails.why': { name: string }
  'mails.transferTitle': { amount: string; name: string }
  'mails.remindTitle': { moment: string; name: string }
  'mails.remindText': None
  'notices.many': { count: number }
  'notices.text': None
  'notices.open': None
  'notices.more': None
  'notices.moreText': { count: number }
  'notices.command': None
  'notices.service': None
  'notices.kind': None
  'notices.merchant': None
  'notices.amount': None
  'notices.since': None
  'notices.about': None
  'notices.testTag': None
  'notices.test': None
  'notices.why': None
  'notices.invitation.title': None
  'notices.invitation.text': None
  'notices.invitation.open': None
  'notices.invitation.why': None
  'notices.changes.address.title': None
  'notices.changes.address.text': { name: string }
  'notices.changes.price.title': None
  'notices.changes.price.text': { name: string }
  'notices.changes.product.title': None
  'notices.changes.product.text': { name: string }
  'notices.changes.callback.title': None
  'notices.changes.callback.text': { name: string }
  'notices.changes.event_secret.title': None
  'notices.changes.event_secret.text': { name: string }
  'notices.changes.token.title': None
  'notices.changes.token.text': { name: string }
  'notices.changes.token_issued.title': None
  'notices.changes.token_issued.text': { name: string }
  'notices.changes.token_limit.title': None
  'notices.changes.token_limit.text': { name: string }
  'notices.changes.account.title': None
  'notices.changes.account.text': { name: string }
  'notices.changes.routes.title': None
  'notices.changes.routes.text': { name: string }
  'notices.changes.role.title': None
  'notices.changes.role.text': None
  'notices.changes.shop.title': None
  'notices.changes.shop.text': None
  'notices.changes.refund_limit.title': None
  'notices.changes.refund_limit.text': None
  'notices.changes.email.title': None
  'notices.changes.email.text': None
  'notices.changes.sign_in_ended.title': None
  'notices.changes.sign_in_ended.text': None
  'notices.changes.sign_in_set_up.title': None
  'notices.changes.sign_in_set_up.text': None
  'notices.changes.key.title': None
  'notices.changes.key.text': None
  'notices.changes.passkey_added.title': None
  'notices.changes.passkey_added.text': None
  'notices.changes.passkey_removed.title': None
  'notices.changes.passkey_removed.text': None
  'notices.changes.recovery_codes.title': None
  'notices.changes.recovery_codes.text': None
  'notices.changes.removed.title': None
  'notices.changes.removed.text': None
  'notices.changes.person_added.title': None
  'notices.changes.person_added.text': { name: string }
  'notices.changes.approval_limit.title': None
  'notices.changes.approval_limit.text': None
  'notices.changes.ask.shop': None
  'notices.changes.why.shop': None
  'notices.changes.ask.person': None
  'notices.changes.why.person': None
  'orders.saleTitle': { amount: string; what: string }
  'orders.saleText': { number: string }
  'orders.heldTitle': { amount: string; what: string }
  'orders.heldText': { number: string }
  'orders.refundTitle': { amount: string; what: string }
  'orders.refundText': { number: string }
  'orders.refundFailedTitle': { amount: string; what: string }
  'orders.refundFailedText': { number: string }
  'orders.disputeTitle': { amount: string; what: string }
  'orders.disputeText': { number: string }
  'orders.caseTitle': { amount: string; what: string }
  'orders.unknownTitle': { amount: string; number: string }
  'orders.unknownText': None
  'orders.reviewTitle': { amount: string; number: string }
  'orders.reviewText': None
  'orders.refundCaseTitle': { amount: string; number: string }
  'orders.refundCaseText': None
  'orders.warningTitle': { amount: string; number: string }
  'orders.warningText': None
  'orders.manyTitle': { count: number }
  'orders.manyText': None
  'orders.more': None
  'orders.moreText': { count: number }
  'orders.testTitle': None
  'orders.testText': None
  'orders.mailWhySignIn': { name: string }
  'orders.mailWhy': { name: string }
  'orders.showOrder': None
  'orders.showList': None
  'orders.openTest': None
  'orders.order': None
  'orders.orderId': None
  'orders.what': None
  'orders.amount': None
  'orders.returned': None
  'orders.money': None
  'orders.way': None
  'orders.since': None
  'orders.decide': None
  'orders.history': None
  'orders.buyer': None
  'orders.fieldName': None
  'orders.fieldPhone': None
  'orders.fieldEmail': None
  'orders.fieldAddress': None
  'orders.fieldNote': None
  'orders.slipHint': None
  'orders.readOnly': None
  'orders.listTitle': { day: string }
  'orders.listMailTitle': { day: string }
  'orders.listMore': { count: number }
  'orders.listEmpty': None
  'orders.quantity': { count: number }
  'orders.moneyPaid': None
  'orders.moneyHeld': None
  'orders.moneyPartReturned': None
  'orders.moneyReturned': None
  'orders.moneyDisputed': None
  'orders.moneyUnknown': None
  'orders.moneyNone': None
  'orders.wayNew': None
  'orders.wayPacked': None
  'orders.waySent': None
  'orders.wayDone': None
  'orders.wayCancelled': None
  'orders.askPartReturned': None
  'orders.askTakenBack': None
  'orders.askOtherAmount': None
  'orders.askNotOffered': None
  'orders.askPartCaptured': None
  'orders.askPaidTwice': None
  'orders.didSale': None
  'orders.didEarlier': None
  'orders.didNote': None
  'orders.didAsk': None
  'orders.didMove': { by: string; way: string }
  'orders.didAnswer': { by: string; text: string }
  'orders.didRemark': { by: string; text: string }
  'orders.testPageTitle': None
  'orders.testPageText': { name: string }
  'orders.testPayment': None
  'orders.testPaidAt': None
  'orders.testNone': None
  'orders.testButton': None
  'orders.testDone': None
  'orders.testSandbox': None
  'pages.ribbon': None
  'pages.ribbonText': None
  'pages.languages': None
  'pages.merchant': None
  'pages.order': None
  'pages.previewText': { amount: string; name: string }
  'pages.previewChosen': { name: string }
  'pages.purpose': None
  'pages.payBefore': None
  'pages.paidAt': None
  'pages.reservedAt': None
  'pages.refundedAmount': None
  'pages.ofOrder': { amount: string }
  'pages.paymentId': None
  'pages.fiscal': None
  'pages.fiscalPending': None
  'pages.fiscalIssued': None
  'pages.fiscalRefunded': None
  'pages.fiscalCorrection': None
  'pages.poweredBy': None
  'pages.taxNumber': None
  'pages.terms': None
  'pages.contactLabel': { name: string }
  'pages.contactTitle': None
  'pages.pay': { amount: string }
  'pages.email': None
  'pages.emailHint': None
  'pages.emailRefused': { example: string }
  'pages.continueAtBank': None
  'pages.continueInWallet': None
  'pages.otherWay': None
  'pages.leftText': None
  'pages.keptText': { moment: string }
  'pages.otherWayTitle': None
  'pages.otherWayText': None
  'pages.chooseRoute': None
  'pages.tryAgain': None
  'pages.checkAgain': None
  'pages.looksAgain': { wait: string }
  'pages.looksNoMore': None
  'pages.stopLooking': None
  'pages.backToShop': None
  'pages.qrTitle': None
  'pages.qrText': None
  'pages.openTitle': None
  'pages.openText': None
  'pages.openWalletText': None
  'pages.pendingTitle': None
  'pages.pendingText': None
  'pages.pendingWalletText': None
  'pages.processingTitle': None
  'pages.processingText': None
  'pages.approvedTitle': None
  'pages.approvedText': None
  'pages.approvedNextTried': None
  'pages.approvedNextTold': None
  'pages.waitsElsewhereTitle': None
  'pages.waitsElsewhereText': None
  'pages.waitsElsewhereNext': None
  'pages.manualTitle': None
  'pages.manualText': None
  'pages.authorizedTitle': None
  'pages.authorizedText': None
  'pages.paidTitle': None
  'pages.paidText': None
  'pages.failedTitle': None
  'pages.failedText': None
  'pages.nothingTaken': None
  'pages.nothingHeld': None
  'pages.receiptFrom': None
  'pages.receiptTitle': None
  'pages.receiptPrint': None
  'pages.receiptBack': None
  'pages.receiptWay': None
  'pages.receiptSale': None
  'pages.receiptRefund': None
  'pages.receiptNumber': None
  'pages.receiptIssued': None
  'pages.amountPaid': None
  'pages.receiptUrl': None
  'pages.againText': None
  'pages.againDeclined': None
  'pages.againExpired': None
  'pages.againRefused': None
  'pages.declinedCard': None
  'pages.declinedLater': None
  'pages.declinedAskBank': None
  'pages.declinedTechnical': None
  'pages.failedNext': None
  'pages.routeNotReady': None
  'pages.cancelledTitle': None
  'pages.cancelledText': None
  'pages.changedText': None
  'pages.expiredTitle': None
  'pages.expiredText': None
  'pages.unknownTitle': None
  'pages.unknownText': None
  'pages.refundedTitle': None
  'pages.refundedText': None
  'pages.partiallyRefundedTitle': None
  'pages.partiallyRefundedText': { refunded: string }
  'pages.reversedTitle': None
  'pages.reversedText': None
  'pages.reversedLostText': { refunded: string }
  'pages.disputedTitle': None
  'pages.disputedText': None
  'pages.unknownNextAsk': None
  'pages.unknownNextTaken': None
  'pages.unknownNextKept': None
  'pages.orderPaidTitle': None
  'pages.orderPaidText': None
  'pages.orderUnknownTitle': None
  'pages.orderUnknownText': None
  'pages.otherPaid': { amount: string; moment: string }
  'pages.otherUnknown': { amount: string; moment: string }
  'pages.payAgain': { amount: string }
  'pages.eachTitle': None
  'pages.chooseTitle': None
  'pages.quantity': None
  'pages.suggested': None
  'pages.amount': { currency: string }
  'pages.otherAmount': { currency: string }
  'pages.amountLimits': { max: string; min: string }
  'pages.amountLimitsStep': { max: string; min: string; step: string }
  'pages.payChosen': None
  'pages.goOnToPay': None
  'pages.amountRefused': { max: string; min: string }
  'pages.quantityRefused': None
  'pages.earlierOpen': None
  'pages.earlierPaid': None
  'pages.earlierContinue': None
  'pages.earlierShow': None
  'pages.confirmHere': None
  'pages.confirmAgain': None
  'pages.priceChanged': None
  'pages.notOfferedTitle': None
  'pages.notOfferedText': None
  'pages.noAddressTitle': None
  'pages.noAddressText': None
  'pages.returnRefusedTitle': None
  'pages.returnRefusedText': None
  'pages.tooLongTitle': None
  'pages.tooLongText': None
  'pages.cookiesTitle': None
  'pages.cookiesText': None
  'pages.httpsTitle': None
  'pages.httpsText': None
  'pages.httpsWay': None
  'pages.busyTitle': None
  'pages.busyText': None
  'pages.tokenActiveTitle': None
  'pages.tokenActiveText': None
  'pages.tokenPendingTitle': None
  'pages.tokenPendingText': None
  'pages.tokenNoneTitle': None
  'pages.tokenNoneText': None
  'pages.tokenRevokedTitle': None
  'pages.tokenRevokedText': None
  'pages.noPageTitle': None
  'pages.noPageText': None
  'pages.notFoundTitle': None
  'pages.notFoundText': None
  'pages.errorTitle': None
  'pages.errorText': None
  'pages.unavailableTitle': None
  'pages.unavailableText': None
  'pages.requestId': None
  'pages.openToldText': None
  'pages.openTransferText': None
  'pages.openChoiceText': None
  'pages.transferTitle': None
  'pages.transferText': None
  'pages.transferRecipient': None
  'pages.transferBank': None
  'pages.transferAccount': None
  'pages.transferBic': None
  'pages.transferAmount': None
  'pages.transferReference': None
  'pages.transferQrTitle': None
  'pages.transferQrText': None
  'pages.keptUntil': None
  'pages.transferOverTitle': None
  'pages.transferOverText': None
  'pages.askName': None
  'pages.askPhone': None
  'pages.askAddress': None
  'pages.askNote': None
  'pages.optional': None
  'pages.fieldsRefused': None
  'pages.fieldMissing': None
  'pages.fieldLong': { max: number }
  'pages.fieldPhone': None
  'pages.fieldCard': None
  'settings.CREDENTIALS': None
  'settings.CREDENTIALS.hint': None
  'settings.AMOUNT_BOUNDS': None
  'settings.AMOUNT_BOUNDS.hint': None
  'settings.FISCAL': None
  'settings.FISCAL.hint': None
  'settings.FISCAL_REGISTER': None
  'settings.FISCAL_REGISTER.hint': None
  'settings.FISCAL_SECRET': None
  'settings.FISCAL_SECRET.hint': None
  'settings.FISCAL_ADDRESS': None
  'settings.FISCAL_ADDRESS.hint': None
  'settings.FISCAL_FAULT': None
  'settings.FISCAL_FAULT.hint': None
  'settings.STEPS': None
  'settings.STEPS.hint': None
  'settings.OPERATIONS': None
  'settings.OPERATIONS.hint': None
  'settings.RENEWALS': None
  'settings.RENEWALS.hint': None
  'settings.SAVED_METHODS': None
  'settings.SAVED_METHODS.hint': None
  'settings.paypal.SAVED_METHODS': None
  'settings.paypal.SAVED_METHODS.hint': None
  'settings.SAVING_AMOUNT': None
  'settings.SAVING_AMOUNT.hint': None
  'settings.SAVING_CURRENCY': None
  'settings.SAVING_CURRENCY.hint': None
  'settings.SESSION_SECONDS': None
  'settings.SESSION_SECONDS.hint': None
  'settings.USERNAME': None
  'settings.USERNAME.hint': None
  'settings.PASSWORD': None
  'settings.PASSWORD.hint': None
  'settings.rbs.USERNAME': None
  'settings.rbs.USERNAME.hint': None
  'settings.rbs.PASSWORD': None
  'settings.rbs.PASSWORD.hint': None
  'settings.CUSTOMER': None
  'settings.CUSTOMER.hint': None
  'settings.SECRET': None
  'settings.SECRET.hint': None
  'settings.sandbox.ADDRESS': None
  'settings.sandbox.ADDRESS.hint': None
  'settings.FAULT': None
  'settings.FAULT.hint': None
  'settings.stripe.ACCOUNT': None
  'settings.stripe.ACCOUNT.hint': None
  'settings.stripe.SECRET_KEY': None
  'settings.stripe.SECRET_KEY.hint': None
  'settings.WEBHOOK_SECRET': None
  'settings.WEBHOOK_SECRET.hint': None
  'settings.API_BASE': None
  'settings.API_BASE.hint': None
  'settings.RECIPIENT': None
  'settings.RECIPIENT.hint': None
  'settings.BANK': None
  'settings.BANK.hint': None
  'settings.manual.ACCOUNT': None
  'settings.manual.ACCOUNT.hint': None
  'settings.BIC': None
  'settings.BIC.hint': None
  'settings.DAYS': None
  'settings.DAYS.hint': None
  'settings.REMIND': None
  'settings.REMIND.hint': None
  'settings.ENVIRONMENT': None
  'settings.ENVIRONMENT.hint': None
  'settings.paypal.CLIENT_ID': None
  'settings.paypal.CLIENT_ID.hint': None
  'settings.CLIENT_SECRET': None
  'settings.CLIENT_SECRET.hint': None
  'settings.WEBHOOK_ID': None
  'settings.WEBHOOK_ID.hint': None
  'settings.SHIPPING': None
  'settings.SHIPPING.hint': None
  'settings.paypal.ADDRESS': None
  'settings.paypal.ADDRESS.hint': None
  'settings.GATEWAY': None
  'settings.GATEWAY.hint': None
  'settings.rbs.ADDRESS': None
  'settings.rbs.ADDRESS.hint': None
  'settings.BINDING_USERNAME': None
  'settings.BINDING_USERNAME.hint': None
  'settings.BINDING_PASSWORD': None
  'settings.BINDING_PASSWORD.hint': None
  'settings.REVERSE_PAID': None
  'settings.REVERSE_PAID.hint': None
  'settings.REFUND_IDS': None
  'settings.REFUND_IDS.hint': None
  'settings.WITHDRAW': None
  'settings.WITHDRAW.hint': None
  'settings.CALLBACK_KEY': None
  'settings.CALLBACK_KEY.hint': None
  'settings.CALLBACK_CERTIFICATE': None
  'settings.CALLBACK_CERTIFICATE.hint': None
  'settings.TIME_ZONE': None
  'settings.TIME_ZONE.hint': None
  'settings.REC_ACCOUNT': None
  'settings.REC_ACCOUNT.hint': None
  'settings.idram.SECRET_KEY': None
  'settings.idram.SECRET_KEY.hint': None
  'settings.CALLERS': None
  'settings.CALLERS.hint': None
  'settings.EMAIL': None
  'settings.EMAIL.hint': None
  'settings.LANGUAGE': None
  'settings.LANGUAGE.hint': None
  'settings.idram.ADDRESS': None
  'settings.idram.ADDRESS.hint': None
  'settings.ameria.ADDRESS': None
  'settings.ameria.ADDRESS.hint': None
  'settings.CLIENT_ID': None
  'settings.CLIENT_ID.hint': None
  'settings.FIRST_NUMBER': None
  'settings.FIRST_NUMBER.hint': None
  'settings.LAST_NUMBER': None
  'settings.LAST_NUMBER.hint': None
  'settings.choice.test': None
  'settings.choice.live': None
  'settings.choice.one': None
  'settings.choice.two': None
  'settings.choice.enabled': None
  'settings.choice.disabled': None
  'settings.choice.not_configured': None
  'settings.choice.ENVIRONMENT.sandbox': None
  'settings.choice.ENVIRONMENT.live': None
  'settings.choice.FISCAL.sandbox': None
  'settings.choice.none': None
  'settings.choice.paypal': None
  'settings.choice.arca': None
  'settings.choice.other': None
  'settings.choice.AM': None
  'settings.choice.RU': None
  'settings.choice.EN': None
  'settings.driver.sandbox': None
  'settings.driver.rbs': None
  'settings.driver.manual': None
}
