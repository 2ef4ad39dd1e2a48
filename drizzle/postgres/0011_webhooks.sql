CREATE TABLE "webhooks" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"name" text NOT NULL,
	"function_id" bigint NOT NULL,
	"verification" text NOT NULL,
	"header" text,
	"headers" text NOT NULL,
	"mode" text NOT NULL,
	"scopes" text NOT NULL,
	"enabled" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhooks_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"webhook_id" bigint NOT NULL,
	"key_id" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"ends_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_secrets_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_messages" (
	"account_code" text NOT NULL,
	"webhook_id" bigint NOT NULL,
	"digest" text NOT NULL,
	"holder" text NOT NULL,
	"held_until" timestamp with time zone NOT NULL,
	"answer" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_messages_account_code_webhook_id_digest_pk" PRIMARY KEY("account_code","webhook_id","digest")
);
--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_code_function_id_functions_account_code_id_fk" FOREIGN KEY ("account_code","function_id") REFERENCES "public"."functions"("account_code","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_account_code_webhook_id_webhooks_account_code_id_fk" FOREIGN KEY ("account_code","webhook_id") REFERENCES "public"."webhooks"("account_code","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhooks_by_function" ON "webhooks" USING btree ("account_code","function_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhooks_by_name" ON "webhooks" USING btree ("account_code","name");--> statement-breakpoint
CREATE INDEX "webhook_secrets_by_webhook" ON "webhook_secrets" USING btree ("account_code","webhook_id","id");--> statement-breakpoint
CREATE INDEX "webhook_messages_by_age" ON "webhook_messages" USING btree ("created_at");