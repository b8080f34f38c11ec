use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs};
use async_openai::Client;
use futures::StreamExt;
use serde_json::{json, Value};

async fn carry_out(order: &Value, got: &mut Value) -> Result<(), OpenAIError> {
    let text = |field: &str| order[field].as_str().unwrap_or_default();
    let config = OpenAIConfig::new().with_api_base(text("baseUrl")).with_api_key(text("apiKey"));
    let client = Client::with_config(config);
    if text("do") == "list" {
        let models = client.models().list().await?.data;
        got["models"] = models.into_iter().map(|model| model.id).collect();
        return Ok(());
    }
    let message = ChatCompletionRequestUserMessage::from(text("prompt"));
    let request = CreateChatCompletionRequestArgs::default()
        .model(text("model"))
        .messages([message.into()])
        .build()?;
    if text("do") == "create" {
        let reply = client.chat().create(request).await?;
        got["text"] = json!(reply.choices[0].message.content);
        return Ok(());
    }
    let mut chunks = client.chat().create_stream(request).await?;
    let (mut whole, mut pieces) = (String::new(), 0);
    while let Some(chunk) = chunks.next().await {
        for piece in chunk?.choices.into_iter().filter_map(|choice| choice.delta.content) {
            whole += &piece;
            pieces += usize::from(!piece.is_empty());
        }
        got["text"] = json!(whole);
        got["pieces"] = json!(pieces);
        if text("do") == "abort" && pieces > 0 {
            break;
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() {
    for line in std::io::stdin().lines() {
        let order: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let mut got = json!({});
        if let Err(error) = carry_out(&order, &mut got).await {
            got["error"] = json!(error.to_string());
            got["status"] = match error {
                OpenAIError::ApiError(answer) => json!(answer.status_code.as_u16()),
                OpenAIError::Reqwest(error) => json!(error.status().map(|status| status.as_u16())),
                _ => Value::Null,
            };
        }
        println!("{got}");
    }
}
