/** Written from the OpenAPI document of the service. */
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AmountBounds: {
            /** @description The smallest amount, in minor units. */
            smallestMinor: number;
            /** @description The largest amount, in minor units. */
            largestMinor: number;
        };
        CallbackStanding: {
            /**
             * @description `url`: a callback URL. `order_book`: the order book inside this service. `none`: events are kept, and sent to nobody.
             * @enum {string}
             */
            kind: "url" | "order_book" | "none";
            /** @description Whether the receiver has passed the check with signed test events. */
            verified: boolean;
            /**
             * Format: date-time
             * @description When it last accepted an event, to within a minute: ISO 8601, UTC. Absent if it never has.
             */
            lastAcceptedAt?: string;
        };
        Capabilities: {
            payment_links: components["schemas"]["CapabilityState"];
            qr_presentation: components["schemas"]["CapabilityState"];
            refund: components["schemas"]["CapabilityState"];
            capture: components["schemas"]["CapabilityState"];
            void: components["schemas"]["CapabilityState"];
            tokenization: components["schemas"]["CapabilityState"];
            subscriptions: components["schemas"]["CapabilityState"];
            fiscalization: components["schemas"]["CapabilityState"];
            cancel: components["schemas"]["CapabilityState"];
        };
        CapabilitiesMerchant: {
            /** @description The merchant’s identifier. */
            id: string;
            /** @description The merchant’s name. */
            name: string;
        };
        CapabilitiesResponse: {
            /**
             * @description Always true.
             * @constant
             */
            ok: true;
            /** @description `sandbox`: no real money moves. `live`: real money moves. */
            mode: components["schemas"]["Mode"];
            /** @description The route of payments that name none. */
            defaultProvider: components["schemas"]["PaymentProvider"];
            /** @description `ready`, `degraded` (some route can create payments, but not the default one) or `not_ready`. */
            status: components["schemas"]["ServiceStatus"];
            /**
             * Format: date-time
             * @description When this response was made: ISO 8601, UTC.
             */
            generatedAt: string;
            /** @description The merchant of the token. An addition of Kassa. */
            merchant: components["schemas"]["CapabilitiesMerchant"];
            /** @description Where the merchant’s events go. An addition of Kassa. */
            callback: components["schemas"]["CallbackStanding"];
            /** @description For each currency, how many digits of an amount in minor units stand behind the decimal point. An addition of Kassa. */
            currencyDigits: components["schemas"]["CurrencyDigits"];
            /** @description Every provider route, ready or not. */
            providers: components["schemas"]["ProviderCapability"][];
            /** @description What shop platforms need to keep their orders up to date. */
            connectors: {
                /** @description How to read statuses and how often to ask for them. */
                statusSync: components["schemas"]["StatusSync"];
            };
        };
        CapabilityState: {
            /** @description Whether the route’s driver can do it. */
            supported: boolean;
            /** @description Whether the settings allow it. */
            enabled: boolean;
            /** @description The reason, for people. */
            reason?: string;
            /**
             * @description The only proof of a payment: an event, or a look-up from your back end.
             * @constant
             */
            proofOfPayment?: "webhook_or_reconciliation_only";
        };
        CurrencyDigits: {
            /** @description Digits behind the decimal point. */
            AMD: number;
            /** @description Digits behind the decimal point. */
            USD: number;
            /** @description Digits behind the decimal point. */
            EUR: number;
        };
        PlatformStatuses: {
            /** @description The platform’s own status for `created`. */
            created: string;
            /** @description The platform’s own status for `pending_redirect`. */
            pending_redirect: string;
            /** @description The platform’s own status for `pending_payment`. */
            pending_payment: string;
            /** @description The platform’s own status for `authorized`. */
            authorized: string;
            /** @description The platform’s own status for `paid`. */
            paid: string;
            /** @description The platform’s own status for `failed`. */
            failed: string;
            /** @description The platform’s own status for `cancelled`. */
            cancelled: string;
            /** @description The platform’s own status for `reversed`. */
            reversed: string;
            /** @description The platform’s own status for `partially_refunded`. */
            partially_refunded: string;
            /** @description The platform’s own status for `refunded`. */
            refunded: string;
            /** @description The platform’s own status for `expired`. */
            expired: string;
            /** @description The platform’s own status for `status_unknown`. */
            status_unknown: string;
            /** @description The platform’s own status for `disputed`. */
            disputed: string;
        };
        ProviderCapability: {
            /** @description The provider route. */
            id: components["schemas"]["PaymentProvider"];
            /** @description The route’s name, for people. */
            label: string;
            /** @description The currencies that the route takes. */
            currencies: components["schemas"]["CurrencyCode"][];
            /** @description The smallest and largest amount that the route’s provider takes, for each of its currencies. */
            amountBounds: {
                AMD?: components["schemas"]["AmountBounds"];
                USD?: components["schemas"]["AmountBounds"];
                EUR?: components["schemas"]["AmountBounds"];
            };
            /** @description Whether the route can move real money. */
            liveCapable: boolean;
            /** @description Whether the provider’s checkout is opened while the payment is created. */
            supportsAutoinit: boolean;
            /** @description Whether the route can create payments now. */
            readiness: {
                /** @description Whether payments can be created on the route now. */
                enabledForPaymentCreation: boolean;
                /** @description The reason, for people. */
                reason: string;
                /** @description The names of the settings that are missing. */
                missingEnv: string[];
            };
            /** @description What can be done on the route, by capability name. */
            capabilities: components["schemas"]["Capabilities"];
        };
        /** @enum {string} */
        ServiceStatus: "ready" | "degraded" | "not_ready";
        StatusSync: {
            /** @description The version. */
            version: number;
            /** @description Every payment status. */
            normalizedStatuses: components["schemas"]["PaymentStatus"][];
            /** @description Statuses with a known outcome. Polling may stop. If the provider changes one of them later, an event tells. */
            terminalStatuses: components["schemas"]["PaymentStatus"][];
            /** @description Statuses in which the goods may be delivered. */
            fulfilmentStatuses: components["schemas"]["PaymentStatus"][];
            /** @description Statuses in which money went back or is disputed. Update accounting and support. */
            accountingStatuses: components["schemas"]["PaymentStatus"][];
            /**
             * @description The only proof of a payment: an event, or a look-up from your back end.
             * @constant
             */
            proofOfPayment: "webhook_or_reconciliation_only";
            /** @description How often to ask. */
            poll: {
                /** @description The first wait, in seconds. */
                minSeconds: number;
                /**
                 * @description How the wait grows.
                 * @constant
                 */
                backoff: "exponential";
                /** @description The longest wait, in seconds. */
                maxSeconds: number;
            };
            /** @description Each platform’s own word for each status. */
            platforms: {
                woocommerce: components["schemas"]["PlatformStatuses"];
                shopify: components["schemas"]["PlatformStatuses"];
                opencart: components["schemas"]["PlatformStatuses"];
                prestashop: components["schemas"]["PlatformStatuses"];
                magento: components["schemas"]["PlatformStatuses"];
                tilda: components["schemas"]["PlatformStatuses"];
                medusa: components["schemas"]["PlatformStatuses"];
                vendure: components["schemas"]["PlatformStatuses"];
                evershop: components["schemas"]["PlatformStatuses"];
            };
        };
        PaymentStatusChanged: {
            /** @description The event’s identifier. Store it, and ignore an event whose id you have stored before. */
            id: string;
            /**
             * @description The only kind of event.
             * @constant
             */
            type: "payment.status_changed";
            /**
             * Format: date-time
             * @description When the payment changed: ISO 8601, UTC.
             */
            createdAt: string;
            /** @description False in the sandbox, where no real money moves. True in the live world. */
            livemode: boolean;
            /** @description The number of the event among those of its payment, from 1. A lower number is an older change. */
            sequence: number;
            /** @description The payment after the change. */
            payment: components["schemas"]["PaymentSession"];
            /** @description The most important fields of the payment again, for receivers that expect them here. */
            data: {
                /** @description The payment as it is now. */
                payment: {
                    /** @description The payment’s identifier. */
                    id: string;
                    /** @description Your own, stable reference for the order. Every response and event repeats it. */
                    merchantOrderId: string;
                    /** @description The amount in minor units: `1900` is 19.00 USD, and `190000` is 1 900 AMD. */
                    amountMinor: number;
                    /** @description ISO 4217 code. */
                    currency: components["schemas"]["CurrencyCode"];
                    /** @description The payment’s status. Only `paid` allows fulfilment. */
                    status: components["schemas"]["PaymentStatus"];
                };
                /** @description The operation that caused the change: its result, or a refund that failed after all. Absent if something else caused it. An addition of Kassa. */
                operationId?: string;
            };
        };
        ErrorResponse: {
            /**
             * @description Always false.
             * @constant
             */
            ok: false;
            /** @description The error. */
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description The error in a sentence, for people. */
                message: string;
                /** @description The request’s identifier, also in the header X-Request-Id. Quote it when you ask for help. */
                requestId: string;
                /** @description What you can do about the error. */
                hint?: string;
                /** @description True if the same request may succeed later. False if it fails until somebody corrects the cause. */
                retryable?: boolean;
            } & {
                [key: string]: unknown;
            };
        };
        OperationErrorResponse: {
            /**
             * @description Always false.
             * @constant
             */
            ok: false;
            /** @description The error. */
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description The error in a sentence, for people. */
                message: string;
                /** @description The request’s identifier, also in the header X-Request-Id. Quote it when you ask for help. */
                requestId: string;
                /** @description What you can do about the error. */
                hint?: string;
                /** @description True if the same request may succeed later. False if it fails until somebody corrects the cause. */
                retryable?: boolean;
                /** @description The guarded operation, if one was recorded. */
                operation?: components["schemas"]["PaymentOperation"];
                /** @description How much went back to the buyer, in minor units: by refunds and by lost disputes. It falls only if the provider says that a refund failed after all, or that a dispute was won after all. */
                refundedMinor?: number;
                /** @description How much of the payment is being refunded and not decided yet, in minor units. An addition of Kassa. */
                pendingRefundMinor?: number;
            } & {
                [key: string]: unknown;
            };
        };
        ValidationErrorResponse: {
            /**
             * @description Always false.
             * @constant
             */
            ok: false;
            /** @description The error. */
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description The error in a sentence, for people. */
                message: string;
                /** @description The request’s identifier, also in the header X-Request-Id. Quote it when you ask for help. */
                requestId: string;
                /** @description What you can do about the error. */
                hint?: string;
                /** @description True if the same request may succeed later. False if it fails until somebody corrects the cause. */
                retryable?: boolean;
            } & {
                [key: string]: unknown;
            };
            /** @description One sentence for each wrong field, by the field’s name (`customer.email` for a nested one). */
            errors: {
                [key: string]: string;
            };
        };
        /** @enum {string} */
        CurrencyCode: "AMD" | "USD" | "EUR";
        Customer: {
            /**
             * Format: email
             * @description E-mail address.
             */
            email?: string;
            /** @description Phone number. */
            phone?: string;
            /** @description Name, as people see it. */
            name?: string;
        };
        /** @enum {string} */
        PaymentProvider: "route_a" | "route_b" | "route_c" | "route_d" | "route_e" | "manual";
        HealthResponse: {
            /**
             * @description Always true.
             * @constant
             */
            ok: true;
            /** @description False while no requests should be sent to the service. */
            ready: boolean;
            /** @description The name of the software. */
            service: string;
            /** @description The version. */
            version: string;
            /** @description `sandbox`: no real money moves. `live`: real money moves. */
            mode: string;
        } & {
            [key: string]: unknown;
        };
        /** @enum {string} */
        Mode: "sandbox" | "live";
        CreatePaymentLinkRequest: {
            /** @description The amount in major units as a decimal, such as `"15.00"`: text is safer than a number. */
            amount: string | number;
            /** @description The amount in minor units. It must agree with `amount`. */
            amountMinor?: number;
            /** @description ISO 4217 code. */
            currency: components["schemas"]["CurrencyCode"];
            /** @description What is being paid for, as the buyer reads it. */
            description: string;
            /**
             * Format: date-time
             * @description The end of the time in which it can be paid: ISO 8601. An expiry does not prove that no money moved.
             */
            expiresAt?: string;
            /** @description The provider route. If it is left out, the service uses its default route. */
            providerRoute?: components["schemas"]["PaymentProvider"];
            /** @description Your own, stable reference for the order. If it is left out, it is derived from the Idempotency-Key: `lnk_` (`lnk_test_` in the sandbox) and 20 characters. The derived reference is not the `linkId`. */
            merchantOrderId?: string;
            /**
             * Format: uri
             * @description Where the buyer’s browser goes afterwards. Its arrival there proves nothing.
             */
            returnUrl?: string;
            /** @description Who pays, if you know it. */
            customer?: components["schemas"]["Customer"];
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        PaymentLinkResponse: {
            /**
             * @description Always true.
             * @constant
             */
            ok: true;
            /** @description False if this is the result of an earlier request. */
            created: boolean;
            /** @description The payment link’s identifier. It is the end of `paymentUrl`, and whoever knows it can open the page. It is not the order reference: a derived `merchantOrderId` begins with `lnk_` too, but is another value. */
            linkId: string;
            /** @description The payment’s identifier, such as `pay_test_01k9zq…`. */
            paymentId: string;
            /**
             * Format: uri
             * @description The address to hand to the buyer.
             */
            paymentUrl: string;
            /**
             * Format: uri
             * @description The hosted checkout. Send the buyer here.
             */
            checkoutUrl: string;
            /** @description The provider’s own page, while the payment can still be paid there. */
            providerCheckoutUrl?: string;
            /** @description The end of the time in which it can be paid: ISO 8601. An expiry does not prove that no money moved. */
            expiresAt?: string;
            /** @description The payment’s status. Only `paid` allows fulfilment. */
            status: components["schemas"]["PaymentStatus"];
            /** @description What to show as a QR code. It is an address and says nothing about payment. */
            qr?: components["schemas"]["QrPresentation"];
            /** @description The payment as it is now. */
            payment: components["schemas"]["PaymentSession"];
        };
        QrPresentation: {
            /**
             * @description Always `url`.
             * @constant
             */
            type: "url";
            /**
             * Format: uri
             * @description The address to encode.
             */
            value: string;
            /**
             * @description The only proof of a payment: an event, or a look-up from your back end.
             * @constant
             */
            proofOfPayment: "webhook_or_reconciliation_only";
        };
        CancelPaymentRequest: {
            /** @description The reason, for your records. */
            reason: string;
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        CancelPaymentResponse: {
            /**
             * @description Always true.
             * @constant
             */
            ok: true;
            /** @description False if the payment was cancelled before. */
            created: boolean;
            /** @description The payment as it is now. */
            payment: components["schemas"]["PaymentSession"];
        };
        CreateCaptureRequest: {
            /** @description The amount to take, in minor units. If it is left out, the whole held amount is taken. */
            amountMinor?: number;
            /** @description If given, it must be the payment’s currency. */
            currency?: components["schemas"]["CurrencyCode"];
            /** @description The reason, for your records. */
            reason?: string;
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        CreateRefundRequest: {
            /** @description The amount that goes back, in minor units. */
            amountMinor: number;
            /** @description If given, it must be the payment’s currency. */
            currency?: components["schemas"]["CurrencyCode"];
            /** @description The reason, for your records and the provider’s. */
            reason: string;
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        CreateVoidRequest: {
            /** @description The reason, for your records and the provider’s. */
            reason: string;
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        OperationResponse: {
            /**
             * @description Always true.
             * @constant
             */
            ok: true;
            /** @description False if this is the result of an earlier request. */
            created: boolean;
            /** @description The operation as it is now. */
            operation: components["schemas"]["PaymentOperation"];
            /** @description The payment as it is now. */
            payment?: components["schemas"]["PaymentSession"];
        };
        /** @enum {string} */
        OperationStatus: "blocked" | "queued" | "processing" | "succeeded" | "failed" | "requires_provider_contract" | "requires_operator_review";
        /** @enum {string} */
        OperationType: "refund" | "capture" | "void" | "fiscal_retry" | "tokenization_intent" | "token_revoke" | "subscription_create" | "subscription_cancel";
        PaymentOperation: {
            /** @description The operation’s identifier. */
            id: string;
            /** @description The payment of this operation. */
            paymentSessionId?: string;
            /** @description The kind of operation. */
            type: components["schemas"]["OperationType"];
            /** @description The provider route. */
            provider: components["schemas"]["PaymentProvider"];
            /** @description The provider’s own id of the operation. */
            providerOperationId?: string;
            /** @description `queued` and `processing` continue by themselves. `succeeded` and `failed` are final, but a refund that fails at the provider after it succeeded becomes `failed`. `requires_operator_review`: a person decides. `blocked` and `requires_provider_contract`: the call was rejected. */
            status: components["schemas"]["OperationStatus"];
            /** @description The amount that it moves, in minor units. */
            amountMinor?: number | null;
            /** @description ISO 4217 code. */
            currency?: components["schemas"]["CurrencyCode"];
            /** @description The reason for the status, for people. A refund that failed at the provider after it had succeeded says so here. */
            statusReason?: string;
            /**
             * Format: date-time
             * @description When it was created: ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed: ISO 8601, UTC.
             */
            updatedAt?: string;
        };
        CreatePaymentSessionRequest: {
            /** @description Your own, stable reference for the order. Every response and event repeats it. */
            merchantOrderId: string;
            /** @description The amount in minor units: `1900` is 19.00 USD, and `190000` is 1 900 AMD. */
            amountMinor: number;
            /** @description ISO 4217 code. */
            currency: components["schemas"]["CurrencyCode"];
            /** @description The provider route. If it is left out, the service uses its default route. */
            provider?: components["schemas"]["PaymentProvider"];
            /**
             * Format: uri
             * @description Where the buyer’s browser goes afterwards. Its arrival there proves nothing.
             */
            returnUrl: string;
            /** @description Who pays, if you know it. */
            customer?: components["schemas"]["Customer"];
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** @enum {string} */
        FiscalStatus: "not_required" | "pending" | "issued" | "failed" | "refunded" | "partially_refunded" | "correction_required";
        PaymentSession: {
            /** @description True if the request succeeded. */
            ok?: boolean;
            /** @description The payment’s identifier. */
            id: string;
            /** @description Your own, stable reference for the order. Every response and event repeats it. */
            merchantOrderId: string;
            /** @description The provider route of the payment. */
            provider: components["schemas"]["PaymentProvider"];
            /** @description The amount in minor units: `1900` is 19.00 USD, and `190000` is 1 900 AMD. */
            amountMinor: number;
            /** @description ISO 4217 code. */
            currency: components["schemas"]["CurrencyCode"];
            /** @description The payment’s status. Only `paid` allows fulfilment. */
            status: components["schemas"]["PaymentStatus"];
            /** @description The status of the fiscal receipt. `failed`: a retry can print it. `correction_required`: money moved and its receipt is missing or unclear, or the receipt of a refund that failed after all was printed. A change sends no event. */
            fiscalStatus: components["schemas"]["FiscalStatus"];
            /** @description False in the sandbox, where no real money moves. True in the live world. */
            livemode: boolean;
            /** @description How much was really taken, in minor units. It is less than `amountMinor` after a capture of a part, or if the shop has accepted less. After a void it is 0. */
            capturedMinor: number;
            /** @description How much went back to the buyer, in minor units: by refunds and by lost disputes. It falls only if the provider says that a refund failed after all, or that a dispute was won after all. */
            refundedMinor: number;
            /**
             * Format: uri
             * @description The hosted checkout. Send the buyer here.
             */
            checkoutUrl?: string;
            /**
             * Format: uri
             * @description The provider’s own page, while the payment can still be paid there.
             */
            providerCheckoutUrl?: string;
            /**
             * Format: date-time
             * @description The buyer has finished, and the provider has been working on the payment since then: a review, or a bank debit that takes days. Do not ask the buyer to pay again. Absent when it has decided.
             */
            processingSince?: string;
            /** @description Who pays, if you know it. */
            customer?: components["schemas"]["Customer"];
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was created: ISO 8601, UTC.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description When it last changed: ISO 8601, UTC.
             */
            updatedAt?: string;
        };
        /** @enum {string} */
        PaymentStatus: "created" | "pending_redirect" | "pending_payment" | "authorized" | "paid" | "failed" | "cancelled" | "reversed" | "partially_refunded" | "refunded" | "expired" | "status_unknown" | "disputed";
        CreateTokenizationIntentRequest: {
            /** @description The provider route whose page saves the card. */
            providerRoute: components["schemas"]["PaymentProvider"];
            /** @description Your own reference to the customer’s consent to be charged later. */
            customerConsentId: string;
            /**
             * Format: uri
             * @description Where the buyer’s browser goes afterwards. Its arrival there proves nothing.
             */
            returnUrl?: string;
            /** @description Who pays, if you know it. */
            customer?: components["schemas"]["Customer"];
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        PaymentMethodToken: {
            /** @description The identifier of this object. Compare it as a whole, and do not read its parts. */
            id: string;
            /** @description The provider route that keeps the card. */
            providerRoute: components["schemas"]["PaymentProvider"];
            /** @description `pending`: the buyer has not decided. `active`: the card can be charged. `cancelled`: the buyer went back. `failed`: nobody saved a card in time. `revoked`: the card cannot be charged any more. */
            status: components["schemas"]["PaymentMethodTokenStatus"];
            /** @description Your own reference to the customer’s consent to be charged later. */
            customerConsentId: string;
            /** @description Who pays, if you know it. */
            customer?: components["schemas"]["Customer"];
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description What its owner recognises the card by. No other data of the card is stored. */
            card?: components["schemas"]["SavedCard"];
            /**
             * Format: date-time
             * @description The end of the time in which the card can be saved: ISO 8601. Only a `pending` token has it. The card’s own end is `card.expiry`.
             */
            expiresAt?: string;
            /**
             * Format: date-time
             * @description When it was created: ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed: ISO 8601, UTC.
             */
            updatedAt: string;
        };
        /** @enum {string} */
        PaymentMethodTokenStatus: "pending" | "active" | "cancelled" | "failed" | "revoked";
        SavedCard: {
            /** @description The card’s brand. */
            brand: string;
            /** @description The last four digits. */
            last4: string;
            /** @description Year and month: `2034-12`. */
            expiry?: string;
        };
        TokenRevocationResponse: {
            /**
             * @description Always true.
             * @constant
             */
            ok: true;
            /** @description False if this is the result of an earlier request. */
            created: boolean;
            /** @description The operation as it is now. It ends when the provider has deleted the card. */
            operation: components["schemas"]["PaymentOperation"];
            /** @description The saved card as it is now. */
            token: components["schemas"]["PaymentMethodToken"];
        };
        TokenizationResponse: {
            /**
             * @description Always true.
             * @constant
             */
            ok: true;
            /** @description False if this is the result of an earlier request. */
            created: boolean;
            /** @description The operation as it is now. It ends when the buyer has decided. */
            operation: components["schemas"]["PaymentOperation"];
            /** @description The saved card as it is now. */
            token: components["schemas"]["PaymentMethodToken"];
            /**
             * Format: uri
             * @description The provider’s own page on which the card is saved. Send the buyer here.
             */
            setupUrl: string;
        };
        /** @enum {string} */
        CancelReason: "requested" | "retries_exhausted" | "hard_decline" | "token_revoked";
        CreateSubscriptionRequest: {
            /** @description The provider route that charges. It must be the token’s route. */
            providerRoute: components["schemas"]["PaymentProvider"];
            /** @description Your own reference for the subscription. Only one subscription with this reference can run at a time. The `merchantOrderId` of its payments is this reference, a slash and the period. A longer one than 120 characters is cut, and ends in `~`, 10 characters of its SHA-256, a slash and the period. */
            merchantSubscriptionId: string;
            /** @description The saved card that is charged. It must be active and saved on the same route. */
            paymentTokenId: string;
            /** @description The price of a period, in minor units. */
            amountMinor: number;
            /** @description ISO 4217 code. */
            currency: components["schemas"]["CurrencyCode"];
            /** @description The length of a period. Dates are in UTC and keep the day of the month on which the subscription began: 31 January, 28 February, 31 March. */
            interval: components["schemas"]["SubscriptionInterval"];
            /** @description What is being paid for, as the buyer reads it. */
            description: string;
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        Subscription: {
            /** @description The identifier of this object. Compare it as a whole, and do not read its parts. */
            id: string;
            /** @description The provider route that charges. */
            providerRoute: components["schemas"]["PaymentProvider"];
            /** @description Your own reference for the subscription. Only one subscription with this reference can run at a time. The `merchantOrderId` of its payments is this reference, a slash and the period. A longer one than 120 characters is cut, and ends in `~`, 10 characters of its SHA-256, a slash and the period. */
            merchantSubscriptionId: string;
            /** @description The saved card that is charged. It must be active and saved on the same route. */
            paymentTokenId: string;
            /** @description The price of a period, in minor units. */
            amountMinor: number;
            /** @description ISO 4217 code. */
            currency: components["schemas"]["CurrencyCode"];
            /** @description The length of a period. Dates are in UTC and keep the day of the month on which the subscription began: 31 January, 28 February, 31 March. */
            interval: components["schemas"]["SubscriptionInterval"];
            /** @description What is being paid for, as the buyer reads it. */
            description: string;
            /** @description Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description `incomplete` until the first period is paid, then `active`. `past_due`: the last charge failed and will be retried. `cancelled`: it has ended. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description The reason why it ended. */
            cancelReason?: components["schemas"]["CancelReason"];
            /**
             * Format: date-time
             * @description When it ended: ISO 8601, UTC.
             */
            cancelledAt?: string;
            /** @description The period that was charged last, or that is charged next, counted from 1. */
            currentPeriod: number;
            /**
             * Format: date-time
             * @description When that period begins: ISO 8601, UTC.
             */
            currentPeriodStart: string;
            /**
             * Format: date-time
             * @description When that period ends and the next one begins.
             */
            currentPeriodEnd: string;
            /**
             * Format: date-time
             * @description When it is charged next. Absent after the end, and while the outcome of a charge is unknown. Nothing else is charged until then.
             */
            nextChargeAt?: string;
            /** @description How often the current period’s charge has been sent. */
            attempts: number;
            /** @description The latest payment of the current period. */
            latestPaymentId?: string;
            /**
             * Format: date-time
             * @description When it was created: ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed: ISO 8601, UTC.
             */
            updatedAt: string;
        };
        /** @enum {string} */
        SubscriptionInterval: "day" | "week" | "month" | "quarter" | "year";
        SubscriptionResponse: {
            /**
             * @description Always true.
             * @constant
             */
            ok: true;
            /** @description False if this is the result of an earlier request. */
            created: boolean;
            /** @description The operation as it is now. A creation succeeds when a period is paid for the first time, and fails if that never happens. */
            operation: components["schemas"]["PaymentOperation"];
            /** @description The subscription as it is now. */
            subscription: components["schemas"]["Subscription"];
        };
        /** @enum {string} */
        SubscriptionStatus: "incomplete" | "active" | "past_due" | "cancelled";
        WidgetCheckoutRequest: {
            /** @description The installation’s public key, `kpk_…`. It is bound to exact origins and may stand in a web page. */
            publicKey: string;
            /** @description The product’s key in the registry. The registry decides the price. */
            productId: string;
            /** @description The browser’s own reference for one click or attempt. Retries send the same one. */
            clientReference: string;
            /**
             * Format: iri-reference
             * @description Where the buyer’s browser goes afterwards. It must be on one of the installation’s origins. Required unless the installation has a default.
             */
            returnUrl?: string;
        };
        WidgetCheckoutResponse: {
            /**
             * @description Always true.
             * @constant
             */
            ok: true;
            /** @description False if this is the result of an earlier request. */
            created: boolean;
            /** @description The payment’s identifier, such as `pay_test_01k9zq…`. */
            paymentId: string;
            /**
             * Format: uri
             * @description The hosted checkout. Send the buyer here.
             */
            checkoutUrl: string;
            /** @description The payment’s status. Only `paid` allows fulfilment. */
            status: components["schemas"]["PaymentStatus"];
            /** @description The amount in minor units: `1900` is 19.00 USD, and `190000` is 1 900 AMD. */
            amountMinor: number;
            /** @description ISO 4217 code. */
            currency: components["schemas"]["CurrencyCode"];
            /** @description What is being bought, as the registry has it. */
            product: {
                /** @description The product’s key. */
                id: string;
                /** @description Name, as people see it. */
                name: string;
            };
            /**
             * Format: date-time
             * @description The end of the time in which it can be paid: ISO 8601. An expiry does not prove that no money moved.
             */
            expiresAt: string;
        };
        /**
         * @description The error’s name, for programs. Accept codes that are not in this list: new ones may be added.
         *
         *     - `missing_token` (401): This endpoint needs a merchant token.
         *     - `invalid_token` (401): The merchant token is not valid.
         *     - `https_required` (403): Calls with real money need https.
         *     - `origin_missing` (403): The request carries no Origin header, so this page cannot be matched to the widget key.
         *     - `origin_not_trusted` (403): This origin is not registered.
         *     - `widget_key_invalid` (403): The widget key is unknown or revoked.
         *     - `insufficient_scope` (403): The merchant token lacks the scope that this endpoint needs.
         *     - `payment_not_found` (404): There is no such payment.
         *     - `operation_not_found` (404): There is no such operation.
         *     - `token_not_found` (404): There is no such token.
         *     - `subscription_not_found` (404): There is no such subscription.
         *     - `not_found` (404): There is nothing at this address.
         *     - `method_not_allowed` (405): This address does not accept this method.
         *     - `operation_disabled` (409): This operation is not enabled for the provider route.
         *     - `refund_limit_reached` (409): This is more than the merchant token may return.
         *     - `payment_not_eligible` (409): The payment is not in a state that allows this.
         *     - `fiscalization_disabled` (409): Fiscal receipts are not enabled for this payment.
         *     - `receipt_already_issued` (409): The fiscal receipt is already issued.
         *     - `payload_too_large` (413): The request body is larger than 64 KB.
         *     - `unsupported_media_type` (415): The request body must be JSON in UTF-8.
         *     - `malformed_request` (400): This is not a well-formed HTTP/1.1 request.
         *     - `request_timeout` (408): The request did not arrive in time.
         *     - `address_too_long` (414): The address is too long.
         *     - `expectation_failed` (417): The only supported Expect header is 100-continue.
         *     - `headers_too_large` (431): The request has too many headers, or too long ones.
         *     - `validation_failed` (422): The request is not valid. "errors" names each invalid field.
         *     - `invalid_json` (422): The request body is not valid JSON.
         *     - `raw_card_data_rejected` (422): Raw card data is never accepted.
         *     - `idempotency_key_required` (422): This endpoint needs one Idempotency-Key header.
         *     - `idempotency_key_reused` (422): This idempotency key was used before with other content.
         *     - `provider_route_unsupported` (422): The provider route does not accept this currency.
         *     - `provider_route_not_ready` (422): The provider route is not configured.
         *     - `amount_mismatch` (422): amount and amountMinor are different amounts.
         *     - `product_unknown` (422): There is no such product.
         *     - `amount_chosen_by_buyer` (422): The buyer chooses the amount of this product, so a button cannot sell it.
         *     - `return_url_not_allowed` (422): This returnUrl cannot be used. "errors" says why.
         *     - `rate_limited` (429): Too many requests.
         *     - `internal` (500): Something went wrong on our side.
         *     - `operation_not_configured` (501): This operation is not set up for the provider route yet.
         *     - `provider_unavailable` (503): The payment provider is not available.
         *     - `storage_unavailable` (503): The payment storage is not available.
         *     - `request_in_progress` (503): An identical request is still being processed.
         * @example missing_token
         * @example invalid_token
         * @example https_required
         * @example origin_missing
         * @example origin_not_trusted
         * @example widget_key_invalid
         * @example insufficient_scope
         * @example payment_not_found
         * @example operation_not_found
         * @example token_not_found
         * @example subscription_not_found
         * @example not_found
         * @example method_not_allowed
         * @example operation_disabled
         * @example refund_limit_reached
         * @example payment_not_eligible
         * @example fiscalization_disabled
         * @example receipt_already_issued
         * @example payload_too_large
         * @example unsupported_media_type
         * @example malformed_request
         * @example request_timeout
         * @example address_too_long
         * @example expectation_failed
         * @example headers_too_large
         * @example validation_failed
         * @example invalid_json
         * @example raw_card_data_rejected
         * @example idempotency_key_required
         * @example idempotency_key_reused
         * @example provider_route_unsupported
         * @example provider_route_not_ready
         * @example amount_mismatch
         * @example product_unknown
         * @example amount_chosen_by_buyer
         * @example return_url_not_allowed
         * @example rate_limited
         * @example internal
         * @example operation_not_configured
         * @example provider_unavailable
         * @example storage_unavailable
         * @example request_in_progress
         */
        ErrorCode: string;
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The request’s identifier. Quote it when you ask for help.
         * @example req_01kca9m4v000f6g7h8j9kmnpqrst2v3w4x5y
         */
        "X-Request-Id": string;
        /** @description Sent if the response is the result of an earlier request. */
        "X-Idempotent-Replay": "true";
        /**
         * @description For each limit that counted this request: `r` requests are left, and the limit is full again in `t` seconds.
         * @example "write";r=99;t=1
         */
        RateLimit: string;
        /**
         * @description For each limit that counted this request: `q` requests are allowed at once, and refilled within `w` seconds.
         * @example "write";q=100;w=4
         */
        "RateLimit-Policy": string;
        /** @description Seconds to wait before you send the request again. A 503 whose `retryable` is false does not have it. */
        "Retry-After": number;
        /**
         * @description Sent if the response has waited as `Prefer` wanted, or had nothing to wait for.
         * @example wait=3
         */
        "Preference-Applied": string;
        /** @description The expected scheme. */
        "WWW-Authenticate": "Bearer";
        /** @description The methods that this address accepts. */
        Allow: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
