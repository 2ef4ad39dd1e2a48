CREATE TABLE "counters" (
	"account_code" text NOT NULL,
	"name" text NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "counters_account_code_name_pk" PRIMARY KEY("account_code","name")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"account_code" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"holder" text NOT NULL,
	"held_until" timestamp with time zone NOT NULL,
	"answer" "bytea",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_account_code_key_pk" PRIMARY KEY("account_code","key")
);
--> statement-breakpoint
CREATE TABLE "idempotency_steps" (
	"account_code" text NOT NULL,
	"key" text NOT NULL,
	"number" bigint NOT NULL,
	"result" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_steps_account_code_key_number_pk" PRIMARY KEY("account_code","key","number")
);
--> statement-breakpoint
CREATE TABLE "membership_events" (
	"account_code" text NOT NULL,
	"sequence" bigint NOT NULL,
	"kind" text NOT NULL,
	"membership_id" bigint NOT NULL,
	"before_user_id" bigint,
	"before_team_id" bigint,
	"after_user_id" bigint,
	"after_team_id" bigint,
	"by_user_id" bigint,
	"by_email" text,
	"transaction_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "membership_events_account_code_sequence_pk" PRIMARY KEY("account_code","sequence")
);
--> statement-breakpoint
ALTER TABLE "counters" ADD CONSTRAINT "counters_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idempotency_steps_by_age" ON "idempotency_steps" USING btree ("created_at");