CREATE TABLE "idempotency_usage" (
	"account_code" text NOT NULL,
	"held_bytes" bigint NOT NULL,
	CONSTRAINT "idempotency_usage_account_code_pk" PRIMARY KEY("account_code")
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "held_bytes" bigint DEFAULT 1024 NOT NULL;--> statement-breakpoint
UPDATE "idempotency_keys" SET "held_bytes" = 1024 + coalesce(octet_length("answer"), 0) + (
	SELECT coalesce(sum(1024 + octet_length("result")), 0) FROM "idempotency_steps" AS s
	WHERE s."account_code" = "idempotency_keys"."account_code" AND s."key" = "idempotency_keys"."key"
);
--> statement-breakpoint
INSERT INTO "idempotency_usage" SELECT "account_code", sum("held_bytes") FROM "idempotency_keys" GROUP BY "account_code";
